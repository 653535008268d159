import { parentPort, workerData } from 'node:worker_threads';
import { PilothouseError } from '@pilothouse/contract';
import { parseWorkflow } from '@pilothouse/core';

/** What a thread sends: the workflow, or the parts of the error that it came to. */
export type ThreadAnswer =
  { readonly value: unknown } | { readonly error: Pick<PilothouseError, 'code' | 'message' | 'fields' | 'details'> };

/** Reads one workflow in a thread of its own. */
function answer(text: string): ThreadAnswer {
  try {
    return { value: parseWorkflow(text, { file: 'body' }) };
  } catch (thrown) {
    if (!(thrown instanceof PilothouseError)) throw thrown;
    const { code, message, fields, details } = thrown;
    return { error: { code, message, fields, details } };
  }
}

parentPort?.postMessage(answer(workerData as string));
