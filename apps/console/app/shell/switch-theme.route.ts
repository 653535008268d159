import { data, type ActionFunctionArgs } from 'react-router';
import { choiceOf } from '../api/form-fields.server.ts';
import { themeCookieHeader, themes } from './theme-cookie.server.ts';

/** Stores the theme of the viewer in a cookie. */
export async function action({ request }: ActionFunctionArgs) {
  const form = await request.formData();
  const secure = new URL(request.url).protocol === 'https:';
  return data(null, { headers: { 'set-cookie': themeCookieHeader(choiceOf(form, 'theme', themes), secure) } });
}
