import type { ActionFunctionArgs } from 'react-router';
import { textOf } from '../lib/form.server.ts';
import { problemsOf } from '../lib/yaml.server.ts';

/** What is wrong with a workflow that somebody writes. Nothing is kept, and nobody asked. */
export async function action({ request }: ActionFunctionArgs) {
  return Response.json(problemsOf(textOf(await request.formData(), 'text')));
}
