import { createHash } from 'node:crypto';
import type { LoaderFunctionArgs } from 'react-router';
import { withApi } from '../api/api-client.server.ts';
import { readRows } from './run-page.server.ts';

/** Rows of the run list for polling. Unchanged rows are answered with 304. */
export async function loader(args: LoaderFunctionArgs) {
  const rows = await withApi(args, (client) => readRows(client, new URL(args.request.url).searchParams));
  const body = JSON.stringify(rows);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers = { etag, 'cache-control': 'private, no-cache', 'content-type': 'application/json' };
  if (args.request.headers.get('if-none-match')?.includes(etag)) return new Response(null, { status: 304, headers });
  return new Response(body, { headers });
}
