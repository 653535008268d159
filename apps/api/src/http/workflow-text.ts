import { Worker } from 'node:worker_threads';
import { PilothouseError } from '@pilothouse/contract';
import { MAX_YAML_CHARS, parseWorkflow, systemTimers } from '@pilothouse/core';
import type { ThreadAnswer } from './workflow.thread.ts';

/** Characters up to which a text is read at once: that takes some milliseconds. */
export const MAX_INLINE_CHARS = 16_000;

/** Milliseconds that a thread may take to start and to read. */
const MAX_MS = 20_000;

/** Texts that are read at the same time, and those that wait for it. */
const MAX_THREADS = 2;
const MAX_WAITING = 16;

/** Megabytes of a thread's heap. */
const HEAP_MB = 256;

/** Bundled it is JavaScript, and so is the thread. */
const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './workflow.thread.ts' : './workflow.thread.js',
  import.meta.url,
);

let threads = 0;
const waiting: (() => void)[] = [];

/**
 * Reads a workflow in YAML. A large one is read in a thread, so that nothing else waits for it.
 * @throws PilothouseError VALIDATION_FAILED as `parseWorkflow`; PAYLOAD_TOO_LARGE when it takes too long; UNAVAILABLE when many are read
 */
export async function readWorkflowText(text: string): Promise<unknown> {
  const isSmall = text.length <= MAX_INLINE_CHARS;
  // One that is too large is refused at once.
  if (isSmall || text.length > MAX_YAML_CHARS) return parseWorkflow(text, { file: 'body' });
  await turn();
  try {
    const answer = await inThread(text);
    if ('value' in answer) return answer.value;
    const { code, message, fields, details } = answer.error;
    throw new PilothouseError(code, message, { ...(fields && { fields }), ...(details && { details }) });
  } finally {
    threads -= 1;
    waiting.shift()?.();
  }
}

async function turn(): Promise<void> {
  if (threads >= MAX_THREADS) {
    if (waiting.length >= MAX_WAITING)
      throw new PilothouseError('UNAVAILABLE', 'Many large workflows are read at the moment: send this one again', {
        details: { retryAfterSeconds: 5 },
      });
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  threads += 1;
}

function inThread(text: string): Promise<ThreadAnswer> {
  const thread = new Worker(threadFile, { workerData: text, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
  const tooLarge = (why: string) =>
    new PilothouseError('PAYLOAD_TOO_LARGE', `The workflow ${why} to read: make it smaller, or split it by \`call\``);
  return new Promise<ThreadAnswer>((resolve, reject) => {
    const timer = systemTimers.setTimeout(() => reject(tooLarge(`takes longer than ${MAX_MS / 1000} s`)), MAX_MS);
    thread.once('message', resolve);
    thread.once('error', (error: Error & { code?: string }) =>
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge(`takes more than ${HEAP_MB} MB`) : error),
    );
    thread.once('exit', (code) => {
      systemTimers.clearTimeout(timer);
      reject(new PilothouseError('INTERNAL', `The thread that reads workflows ended with ${code}`));
    });
  }).finally(() => thread.terminate());
}
