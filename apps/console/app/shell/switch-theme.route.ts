import { data, type ActionFunctionArgs } from 'react-router';
import { choiceOf } from '../api/intent.server.ts';
import { themeCookieHeader, themes } from './theme-cookie.server.ts';

/** Keeps light, dark or as the system has it, for this viewer. */
export async function action({ request }: ActionFunctionArgs) {
  const form = await request.formData();
  const secure = new URL(request.url).protocol === 'https:';
  return data(null, { headers: { 'set-cookie': themeCookieHeader(choiceOf(form, 'theme', themes), secure) } });
}
