import { PilothouseError } from '@pilothouse/contract';
import { visit } from 'jsonc-parser';

/** Finds where a text stops being JSON: an index into the text, its length if the text ends too early, null if it is valid. */
export function findJsonError(text: string): number | null {
  let error: number | null = null;
  const options = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };
  visit(text, { onError: (_, offset) => (error ??= offset) }, options);
  return error;
}

/** @throws PilothouseError VALIDATION_FAILED with line and column of the first error */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const at = findJsonError(text) ?? text.length;
    const before = text.slice(0, at).split('\n');
    const where = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    const problem = at === text.length ? 'it ends too early' : `${JSON.stringify(text[at])} is not allowed here`;
    const detail = `The body is not valid JSON: ${problem} (${where}, position ${at}).`;
    throw new PilothouseError('VALIDATION_FAILED', detail, { fields: [{ pointer: '', detail }] });
  }
}
