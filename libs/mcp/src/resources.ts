import { unwrapData, type Client } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { readRun } from './run-wait.ts';
import { untrustedText } from './tool-results.ts';

const RUN = /^pilothouse:\/\/runs\/([0-9a-f-]{36})$/;
const WORKFLOW = /^pilothouse:\/\/workflows\/([a-z0-9-]{1,63})$/;

/** Newest runs in the list of resources. Older ones are read by their id. */
const LISTED_RUNS = 50;

export const resourceTemplates = [
  { uriTemplate: 'pilothouse://runs/{run}', name: 'run', title: 'A run', mimeType: 'text/plain' },
  {
    uriTemplate: 'pilothouse://workflows/{workflow}',
    name: 'workflow',
    title: 'A workflow',
    mimeType: 'application/json',
  },
];

/** Lists the newest runs with the first page of workflows, then further workflows. */
export async function listResources(client: Client, cursor: string | undefined, signal: AbortSignal) {
  const query = { limit: 100, ...(cursor !== undefined && { cursor }) };
  const workflows = await unwrapData(client.api.GET('/v1/workflows', { params: { query }, signal }));
  const runs =
    cursor === undefined
      ? (await unwrapData(client.api.GET('/v1/runs', { params: { query: { limit: LISTED_RUNS } }, signal }))).items
      : [];
  return {
    resources: [
      ...workflows.items.map(({ name, title }) => ({
        uri: `pilothouse://workflows/${name}`,
        name: `workflow ${name}`,
        title: title ?? name,
        mimeType: 'application/json',
      })),
      ...runs.map(({ id, status, workflow }) => ({
        uri: `pilothouse://runs/${id}`,
        name: `run ${id}`,
        title: `${workflow?.name ?? 'Run'}: ${status}`,
        mimeType: 'text/plain',
      })),
    ],
    ...(workflows.nextCursor !== null && { nextCursor: workflows.nextCursor }),
  };
}

/** Reads a run or a workflow. @throws PilothouseError NOT_FOUND */
export async function readResource(client: Client, uri: string, signal: AbortSignal) {
  const run = RUN.exec(uri)?.[1];
  if (run !== undefined) {
    const { text } = untrustedText(await readRun(client, run, { signal }));
    return { contents: [{ uri, mimeType: 'text/plain', text }] };
  }
  const workflow = WORKFLOW.exec(uri)?.[1];
  if (workflow === undefined) throw new PilothouseError('NOT_FOUND', 'Resource not found.');
  const params = { path: { workflow } };
  const detail = await unwrapData(client.api.GET('/v1/workflows/{workflow}', { params, signal }));
  return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(detail) }] };
}
