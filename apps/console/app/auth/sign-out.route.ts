import type { ActionFunctionArgs } from 'react-router';
import { redirectTo } from './redirect.ts';
import { leave } from './sign-in.server.ts';

/** Forgets who asks. */
export const action = (asked: ActionFunctionArgs) => leave(asked);

export const loader = () => redirectTo('/');
