import type { ActionFunctionArgs } from 'react-router';
import { redirectTo } from './redirect.ts';
import { signOut } from './sign-in.server.ts';

/** Forgets who asks. */
export const action = (asked: ActionFunctionArgs) => signOut(asked);

export const loader = () => redirectTo('/');
