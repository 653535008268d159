import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { visit } from 'jsonc-parser';

/** Maximum nesting of objects and arrays. Parser and schemas recurse, so deeper input would overflow the stack. */
export const MAX_JSON_DEPTH = 1_000;

/** Returns the index of the first bracket beyond the maximum depth, null if it does not exist. */
function findExcessDepth(text: string): number | null {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isInString) {
      if (character === '\\') index += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return index;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return null;
}

/**
 * Finds the index at which a text stops being JSON. It is the length of the text if it ends too early, and null if it
 * is valid.
 */
export function findJsonError(text: string): number | null {
  let error = findExcessDepth(text);
  const options = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };
  if (error === null) visit(text, { onError: (_, offset) => (error ??= offset) }, options);
  return error;
}

function invalidJson(text: string, index: number, problem: string): PilothouseError {
  const lines = text.slice(0, index).split('\n');
  const position = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}, position ${index}`;
  const detail = `The body is not valid JSON: ${problem} (${position}).`;
  return new PilothouseError('VALIDATION_FAILED', detail, { fields: [{ pointer: '', detail }] });
}

/** @throws PilothouseError VALIDATION_FAILED with line and column of the first error */
export function parseJson(text: string): unknown {
  const tooDeep = findExcessDepth(text);
  if (tooDeep !== null) throw invalidJson(text, tooDeep, `it is nested more than ${MAX_JSON_DEPTH} levels deep`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const index = findJsonError(text) ?? text.length;
    const character = JSON.stringify(text[index]);
    throw invalidJson(text, index, index === text.length ? 'it ends too early' : `${character} is not allowed here`);
  }
}
