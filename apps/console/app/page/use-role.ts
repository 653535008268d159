import type { Role } from '@pilothouse/contract/project/project-roles';
import { useRouteLoaderData } from 'react-router';

/** Data of the page layout about the viewer. */
export interface Viewer {
  readonly role: Role;
}

/** Role of the viewer in the project; undefined on pages without a session, and if the layout failed. */
export const useRole = (): Role | undefined => useRouteLoaderData<Viewer>('shell/app-layout.route')?.role;
