import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { systemTimers } from '@pilothouse/core/time/timers';
import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import { MAX_YAML_CHARS } from '@pilothouse/core/workflow/parse-yaml';
import type { ThreadResult } from './workflow.thread.ts';

/** Maximum length of a text that is parsed on the main thread, which takes some milliseconds. */
export const MAX_INLINE_CHARS = 16_000;

/** Milliseconds for a thread to start and to parse. */
const THREAD_TIMEOUT_MS = 20_000;

/** Maximum number of texts that are parsed at the same time, and of those that wait. */
const MAX_THREADS = 2;
const MAX_WAITING = 16;

/** Maximum heap of a thread, in megabytes. */
const HEAP_MB = 256;

/** The bundle contains the thread as JavaScript. */
const threadFile = new URL(
  import.meta.url.endsWith('.ts') ? './workflow.thread.ts' : './workflow.thread.js',
  import.meta.url,
);

const limitThreads = pLimit(MAX_THREADS);

/**
 * Parses a workflow in YAML. Large ones are parsed in a thread, so that the main thread stays responsive.
 * @throws PilothouseError VALIDATION_FAILED as `parseWorkflow`; PAYLOAD_TOO_LARGE if it takes too long; UNAVAILABLE if too many wait
 */
export async function readWorkflowText(text: string): Promise<unknown> {
  const isSmall = text.length <= MAX_INLINE_CHARS;
  // `parseWorkflow` rejects a text that is too large at once.
  if (isSmall || text.length > MAX_YAML_CHARS) return parseWorkflow(text, { file: 'body' });
  if (limitThreads.pendingCount >= MAX_WAITING)
    throw new PilothouseError('UNAVAILABLE', 'Too many large workflows are being parsed. Try again.', {
      details: { retryAfterSeconds: 5 },
    });
  const result = await limitThreads(() => parseInThread(text));
  if ('value' in result) return result.value;
  const { code, message, fields, details } = result.error;
  throw new PilothouseError(code, message, { ...(fields && { fields }), ...(details && { details }) });
}

function parseInThread(text: string): Promise<ThreadResult> {
  const thread = new Worker(threadFile, { workerData: text, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
  const tooLarge = (reason: string) =>
    new PilothouseError(
      'PAYLOAD_TOO_LARGE',
      `The workflow ${reason} to parse. Make it smaller, or split it with \`call\`.`,
    );
  return new Promise<ThreadResult>((resolve, reject) => {
    const timer = systemTimers.setTimeout(
      () => reject(tooLarge(`takes longer than ${THREAD_TIMEOUT_MS / 1000} s`)),
      THREAD_TIMEOUT_MS,
    );
    thread.once('message', resolve);
    thread.once('error', (error: Error & { code?: string }) =>
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge(`takes more than ${HEAP_MB} MB`) : error),
    );
    thread.once('exit', (code) => {
      systemTimers.clearTimeout(timer);
      reject(new PilothouseError('INTERNAL', `The workflow parser thread exited with ${code}`));
    });
  }).finally(() => thread.terminate());
}
