import type { Json } from '@pilothouse/contract/primitives.schema';
import type { WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';

/** Converts the text of a form field to an input value. @throws Error with a message for the user */
export function inputValue({ type }: Pick<WorkflowInput, 'type'>, text: string): Json {
  if (type === 'string' || type === 'file') return text;
  if (type === 'boolean') return text === 'true';
  if (type === 'number' || type === 'integer') {
    const number = Number(text);
    if (text.trim() === '' || !Number.isFinite(number)) throw new Error('Enter a number, e.g. 12');
    return number;
  }
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Error(type === 'array' ? 'Enter a JSON array, e.g. ["a", "b"]' : 'Enter a JSON object, e.g. {"a": 1}');
  }
}

/** True for an error of this input, or of its reference to a secret. */
export const isErrorOf = (input: string, { pointer }: { readonly pointer?: string }): boolean =>
  pointer === `/inputs/${input}` || pointer === `/inputs/${input}/secret`;

/** Text of an input value for its form field. */
export const textOfValue = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
