import { workflowJsonSchema } from '@pilothouse/core/workflow/json-schema';
import type { LoaderFunctionArgs } from 'react-router';
import { requireSession } from '../api/api-client.server.ts';

let cached: string | undefined;

/** JSON Schema of workflow files, for completion. */
export async function loader(args: LoaderFunctionArgs): Promise<Response> {
  await requireSession(args);
  return new Response((cached ??= JSON.stringify(workflowJsonSchema())), {
    headers: { 'content-type': 'application/json', 'cache-control': 'private, max-age=3600' },
  });
}
