import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';

/** The message of a thread: the workflow, or the parts of its error. */
export type ThreadResult =
  { readonly value: unknown } | { readonly error: Pick<PilothouseError, 'code' | 'message' | 'fields' | 'details'> };

/** Parses a workflow in a thread of the pool. */
export default function parse(text: string): ThreadResult {
  try {
    return { value: parseWorkflow(text, { file: 'body' }) };
  } catch (error) {
    if (!(error instanceof PilothouseError)) throw error;
    const { code, message, fields, details } = error;
    return { error: { code, message, fields, details } };
  }
}
