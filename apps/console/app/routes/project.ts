import type { ActionFunctionArgs } from 'react-router';
import { textOf } from '../lib/form.server.ts';
import { redirectTo } from '../lib/redirect.ts';
import { keepProject } from '../lib/sign-in.server.ts';

/** Goes to another project of the user. */
export async function action({ request }: ActionFunctionArgs) {
  const form = await request.formData();
  return redirectTo('/', { headers: { 'set-cookie': keepProject(request, textOf(form, 'project')) } });
}
