import { ApiError, dataOf, type Client } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract';
import type { Problem } from './yaml.server.ts';

/** A workflow file as the API takes it, next to the typed call: its body is a text. */
const asYaml = { bodySerializer: (body: unknown) => String(body), headers: { 'content-type': 'application/yaml' } };

/** Makes a workflow of a file. */
export const createWorkflow = ({ api }: Client, text: string) =>
  dataOf(api.POST('/v1/workflows', { ...asYaml, body: text as never }));

/** Gives a workflow a new version. */
export const updateWorkflow = ({ api }: Client, workflow: string, text: string) =>
  dataOf(api.PUT('/v1/workflows/{workflow}', { ...asYaml, params: { path: { workflow } }, body: text as never }));

/** A problem that has no place of its own. */
export const wholeFile = (detail: string): Problem => ({ line: 1, column: 1, pointer: '', detail });

/** What the API refused of a file: each with its place, or all in one. */
export async function refusedOf(work: () => Promise<unknown>): Promise<Problem[]> {
  try {
    await work();
    return [];
  } catch (error) {
    if (!(error instanceof PilothouseError) || error.code === 'UNAUTHENTICATED') throw error;
    const fields = error instanceof ApiError ? error.problem.errors : undefined;
    if (!fields?.length) return [wholeFile(error.message)];
    return fields.map(({ line = 1, column = 1, pointer, detail }) => ({
      line,
      column,
      pointer,
      detail: `${pointer} ${detail}`.trim(),
    }));
  }
}
