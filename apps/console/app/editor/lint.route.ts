import type { ActionFunctionArgs } from 'react-router';
import { textOf } from '../api/form-fields.server.ts';
import { problemsOf } from '../workflows/workflow-yaml.server.ts';

/** Validates a workflow while it is edited. Calls no API and stores nothing. */
export async function action({ request }: ActionFunctionArgs) {
  return Response.json(problemsOf(textOf(await request.formData(), 'text')));
}
