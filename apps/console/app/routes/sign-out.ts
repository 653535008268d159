import { redirect, type ActionFunctionArgs } from 'react-router';
import { leave } from '../lib/sign-in.server.ts';

/** Forgets who asks. */
export const action = (asked: ActionFunctionArgs) => leave(asked);

export const loader = () => redirect('/');
