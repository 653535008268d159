import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import { MAX_YAML_CHARS } from '@pilothouse/core/workflow/parse-yaml';
import { withTimeout } from '@pilothouse/core/time/deadlines';
import pLimit from 'p-limit';
import { Piscina } from 'piscina';
import type { ThreadResult } from './workflow.thread.ts';

/** Maximum length of a text that is parsed on the main thread, which takes some milliseconds. */
export const MAX_INLINE_CHARS = 16_000;

/** Milliseconds for a text to wait for a thread. */
const WAIT_MS = 20_000;

/** Milliseconds for a thread to parse a text. */
const PARSE_MS = 20_000;

/** Milliseconds until an unused thread ends. A new one takes about half a second. */
const IDLE_THREAD_MS = 60_000;

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

const retry = (reason: string) =>
  new PilothouseError('UNAVAILABLE', `${reason}. Try again.`, { details: { retryAfterSeconds: 5 } });

const tooLarge = (reason: string) =>
  new PilothouseError(
    'PAYLOAD_TOO_LARGE',
    `The workflow ${reason} to parse. Make it smaller, or split it with \`call\`.`,
  );

interface TextThreadsOptions {
  readonly file?: URL;
  readonly waitMs?: number;
  readonly parseMs?: number;
}

/** Threads that parse texts. They end when they are not used. */
export class TextThreads {
  readonly #options: Required<TextThreadsOptions>;
  /** The pool gets a text only when a thread is free: it does not start a new thread for a waiting text when one is killed. */
  readonly #slots = pLimit(MAX_THREADS);
  #pool: Pool | undefined;

  constructor({ file = threadFile, waitMs = WAIT_MS, parseMs = PARSE_MS }: TextThreadsOptions = {}) {
    this.#options = { file, waitMs, parseMs };
  }

  /**
   * Parses a text once a thread is free.
   * @throws PilothouseError UNAVAILABLE if no thread gets free or starts; PAYLOAD_TOO_LARGE if it needs too much time or memory
   */
  async parse(text: string): Promise<ThreadResult> {
    const slots = this.#slots;
    if (slots.activeCount + slots.pendingCount >= MAX_THREADS + MAX_WAITING)
      throw retry('Too many large workflows are being parsed');
    const { waitMs } = this.#options;
    const start = Promise.withResolvers<undefined>();
    let isLate = false;
    const parsing = slots(async () => {
      start.resolve(undefined);
      return isLate ? undefined : await this.#run(text);
    });
    const lateError = () => {
      isLate = true;
      return retry(`The workflow waited for more than ${waitMs / 1000} s, because other large ones are being parsed`);
    };
    await withTimeout(start.promise, waitMs, { error: lateError });
    return (await parsing) as ThreadResult;
  }

  async #run(text: string): Promise<ThreadResult> {
    const { threads, failure } = (this.#pool ??= this.#createPool());
    const { parseMs } = this.#options;
    try {
      return await threads.run(text, { signal: AbortSignal.any([failure.signal, AbortSignal.timeout(parseMs)]) });
    } catch (error) {
      if (failure.signal.aborted) throw retry('The thread that parses large workflows did not start');
      const { name, code } = error as Error & { code?: string };
      if (name === 'AbortError') throw tooLarge(`takes longer than ${parseMs / 1000} s`);
      if (code === 'ERR_WORKER_OUT_OF_MEMORY') throw tooLarge(`takes more than ${HEAP_MB} MB`);
      throw error;
    }
  }

  /** Created at the first large text: most processes never parse one. */
  #createPool(): Pool {
    const threads = new Piscina<string, ThreadResult>({
      filename: this.#options.file.href,
      minThreads: 0,
      maxThreads: MAX_THREADS,
      maxQueue: MAX_THREADS,
      idleTimeout: IDLE_THREAD_MS,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    const failure = new AbortController();
    // A thread failed without a text, so a text waits for it. The next one gets a new pool.
    threads.on('error', () => {
      this.#pool = undefined;
      failure.abort();
      void threads.destroy();
    });
    return { threads, failure };
  }
}

interface Pool {
  readonly threads: Piscina<string, ThreadResult>;
  /** Aborts when a thread did not start. */
  readonly failure: AbortController;
}

const workflowThreads = new TextThreads();

/**
 * Parses a workflow in YAML. Large ones are parsed in a thread, so that the main thread stays responsive.
 * @throws PilothouseError VALIDATION_FAILED as `parseWorkflow`; PAYLOAD_TOO_LARGE if it takes too long; UNAVAILABLE if no thread gets free
 */
export async function readWorkflowText(text: string): Promise<unknown> {
  const isSmall = text.length <= MAX_INLINE_CHARS;
  // `parseWorkflow` rejects a text that is too large at once.
  if (isSmall || text.length > MAX_YAML_CHARS) return parseWorkflow(text, { file: 'body' });
  const result = await workflowThreads.parse(text);
  if ('value' in result) return result.value;
  const { code, message, fields, details } = result.error;
  throw new PilothouseError(code, message, { ...(fields && { fields }), ...(details && { details }) });
}
