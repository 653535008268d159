import type { ActionFunctionArgs } from 'react-router';
import { textOf } from '../api/form-fields.server.ts';
import { problemsOf } from '../workflows/workflow-yaml.server.ts';

/** What is wrong with a workflow that somebody writes. Nothing is kept, and nobody asked. */
export async function action({ request }: ActionFunctionArgs) {
  return Response.json(problemsOf(textOf(await request.formData(), 'text')));
}
