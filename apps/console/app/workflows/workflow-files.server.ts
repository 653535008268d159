import { ApiError, unwrapData, type Client } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Problem } from './workflow-yaml.server.ts';

/** Request options for a workflow file: the body is YAML text. */
const asYaml = { bodySerializer: (body: unknown) => String(body), headers: { 'content-type': 'application/yaml' } };

/** A version of a workflow. Without a number: the published one, else the latest. */
export async function readVersion({ api }: Pick<Client, 'api'>, workflow: string, version: number | undefined) {
  const fetchVersion = (number: number | undefined) =>
    unwrapData(api.GET('/v1/workflows/{workflow}', { params: { path: { workflow }, query: { version: number } } }));
  const selected = await fetchVersion(version);
  const { publishedVersion } = selected;
  const readsPublished = version === undefined && publishedVersion !== null && publishedVersion !== selected.version;
  return readsPublished ? fetchVersion(publishedVersion) : selected;
}

/** Version in the query parameter `version` of a URL. */
export const versionOf = (request: Request): number | undefined =>
  Number(new URL(request.url).searchParams.get('version')) || undefined;

/** Creates a workflow from a file. */
export const createWorkflow = ({ api }: Client, text: string) =>
  unwrapData(api.POST('/v1/workflows', { ...asYaml, body: text }));

/** Adds a version to a workflow. */
export const updateWorkflow = ({ api }: Client, workflow: string, text: string) =>
  unwrapData(api.PUT('/v1/workflows/{workflow}', { ...asYaml, params: { path: { workflow } }, body: text }));

/** A problem without a position. */
export const fileProblem = (detail: string): Problem => ({ line: 1, column: 1, pointer: '', detail });

/** Problems that the API reported for a submitted file, with their positions. */
export async function submitProblemsOf(submit: () => Promise<unknown>): Promise<Problem[]> {
  try {
    await submit();
    return [];
  } catch (error) {
    if (!(error instanceof PilothouseError) || error.code === 'UNAUTHENTICATED') throw error;
    const fields = error instanceof ApiError ? error.problem.errors : undefined;
    if (!fields?.length) return [fileProblem(error.message)];
    return fields.map(({ line = 1, column = 1, pointer, detail }) => ({
      line,
      column,
      pointer,
      detail: `${pointer} ${detail}`.trim(),
    }));
  }
}
