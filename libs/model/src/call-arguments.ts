import type { ModelCall } from '@pilothouse/contract/model/model.schema';
import { parseLooseJson } from '@pilothouse/core/model/loose-json';

/** Longest arguments that are parsed, in characters. */
const MAX_ARGUMENTS_CHARS = 500_000;

const isObject = (value: unknown): value is ModelCall['args'] =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Parses the arguments of a call: an object, JSON, JSON in a code fence, JSON in a JSON string, or a Python dictionary. Small local models
 * write all of them.
 * @returns undefined: not a JSON object
 */
export function parseArguments(value: unknown): ModelCall['args'] | undefined {
  if (isObject(value)) return value;
  if (value === undefined || value === null) return {};
  if (typeof value !== 'string' || value.length > MAX_ARGUMENTS_CHARS) return undefined;
  const text = withoutFence(value.trim());
  if (text === '') return {};
  const parsed = parseJson(text);
  return typeof parsed === 'string' ? asObject(parseJson(withoutFence(parsed.trim()))) : asObject(parsed);
}

const asObject = (value: unknown) => (isObject(value) ? value : undefined);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseLooseJson(text);
  }
}

/** Removes a code fence around a whole text. */
function withoutFence(text: string): string {
  if (!text.startsWith('```') || !text.endsWith('```') || text.length < 6) return text;
  const inner = text.slice(3, -3);
  const lineEnd = inner.indexOf('\n');
  // The first line names the language.
  return (lineEnd >= 0 && !inner.slice(0, lineEnd).includes('{') ? inner.slice(lineEnd) : inner).trim();
}
