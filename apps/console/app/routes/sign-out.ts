import { redirect, type ActionFunctionArgs } from 'react-router';
import { keyCookie, setCookie } from '../../src/session.ts';

/** Forgets who asks. */
export function action({ request }: ActionFunctionArgs) {
  const secure = new URL(request.url).protocol === 'https:';
  return redirect('/sign-in', { headers: { 'set-cookie': setCookie(keyCookie, '', 0, secure) } });
}

export const loader = () => redirect('/');
