import { ApiError, unwrapData, type Client } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract';
import type { Problem } from './workflow-yaml.server.ts';

/** A workflow file as the API takes it, next to the typed call: its body is a text. */
const asYaml = { bodySerializer: (body: unknown) => String(body), headers: { 'content-type': 'application/yaml' } };

/** A version of a workflow; without a number the published one, else the latest. */
export async function readVersion({ api }: Pick<Client, 'api'>, workflow: string, version: number | undefined) {
  const read = (number: number | undefined) =>
    unwrapData(api.GET('/v1/workflows/{workflow}', { params: { path: { workflow }, query: { version: number } } }));
  const selected = await read(version);
  const { publishedVersion } = selected;
  const readsPublished = version === undefined && publishedVersion !== null && publishedVersion !== selected.version;
  return readsPublished ? read(publishedVersion) : selected;
}

/** The version that an address chooses with `?version=`. */
export const versionOf = (request: Request): number | undefined =>
  Number(new URL(request.url).searchParams.get('version')) || undefined;

/** Makes a workflow of a file. */
export const createWorkflow = ({ api }: Client, text: string) =>
  unwrapData(api.POST('/v1/workflows', { ...asYaml, body: text as never }));

/** Gives a workflow a new version. */
export const updateWorkflow = ({ api }: Client, workflow: string, text: string) =>
  unwrapData(api.PUT('/v1/workflows/{workflow}', { ...asYaml, params: { path: { workflow } }, body: text as never }));

/** A problem that has no place of its own. */
export const fileProblem = (detail: string): Problem => ({ line: 1, column: 1, pointer: '', detail });

/** What the API refused of a file: each with its place, or all in one. */
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
