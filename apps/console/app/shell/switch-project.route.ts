import type { ActionFunctionArgs } from 'react-router';
import { textOf } from '../api/form-fields.server.ts';
import { redirectTo } from '../api/redirect.ts';
import { projectCookieHeader } from '../auth/sign-in.server.ts';

/** Selects another project of the user. */
export async function action({ request }: ActionFunctionArgs) {
  const form = await request.formData();
  return redirectTo('/', { headers: { 'set-cookie': projectCookieHeader(request, textOf(form, 'project')) } });
}
