import type { Role } from '@pilothouse/contract';
import { useRouteLoaderData } from 'react-router';

/** What the layout of the pages knows of who looks. */
export interface Viewer {
  readonly role: Role;
}

/** What who looks may do in the project; undefined on pages before the sign-in, and where the layout failed. */
export const useRole = (): Role | undefined => useRouteLoaderData<Viewer>('shell/app-layout.route')?.role;
