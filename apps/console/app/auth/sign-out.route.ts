import type { ActionFunctionArgs } from 'react-router';
import { redirectTo } from './redirect.ts';
import { signOut } from './sign-in.server.ts';

/** Forgets who asks. */
export const action = (args: ActionFunctionArgs) => signOut(args);

export const loader = () => redirectTo('/');
