import type { ActionFunctionArgs } from 'react-router';
import { redirectTo } from '../api/redirect.ts';
import { signOut } from './sign-in.server.ts';

export const action = (args: ActionFunctionArgs) => signOut(args);

export const loader = () => redirectTo('/');
