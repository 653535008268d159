import { unwrapData, type Client } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { withTimeout } from '@pilothouse/core/time/deadlines';
import type { ToolContext } from './tool.ts';

/** Seconds of one request. A question or another step is noticed after that time at the latest. */
const POLL_SECONDS = 1;

/** Milliseconds that an answer may be late. The longest wait with this time ends before the timeout of clients. */
const LATE_ANSWER_MS = 5_000;

export const readRun = (client: Client, run: string, options: { wait?: number; signal?: AbortSignal } = {}) =>
  unwrapData(
    client.api.GET('/v1/runs/{run}', {
      params: { path: { run }, query: { wait: options.wait } },
      signal: options.signal,
    }),
  );

/** True if the run waits for an answer that this client can give. */
export const needsAnswer = ({ status, question }: Pick<RunView, 'status' | 'question'>): boolean =>
  status === 'awaiting_user' && question !== null && question.controlToken === undefined;

const isTransient = (thrown: unknown): boolean => thrown instanceof PilothouseError && thrown.retry === 'same-request';

const noAnswer = () => new PilothouseError('UNAVAILABLE', 'The API does not answer. Try again.');

/**
 * Waits until a run has ended or asks a question, and reports its progress. Repeats requests that failed for a moment.
 * @returns the run as it is then, or as it was last seen at the end of the time
 * @throws the errors of the API, if the run was never seen or a retry cannot succeed; the reason of the signal
 */
export async function waitForRun(
  run: string,
  waitSeconds: number,
  { client, timers, signal, report }: ToolContext,
): Promise<RunView> {
  const deadline = timers.monotonic() + waitSeconds * 1000;
  const remainingMs = () => Math.max(0, deadline - timers.monotonic());
  let last: RunView | undefined;
  let wait = 0;
  for (;;) {
    try {
      const reading = readRun(client, run, { wait, signal });
      last = await withTimeout(reading, wait * 1000 + LATE_ANSWER_MS, { error: noAnswer, timers });
      await report(last);
      if (isTerminal(last.status) || needsAnswer(last) || remainingMs() === 0) return last;
      wait = remainingMs() < POLL_SECONDS * 1000 ? 0 : POLL_SECONDS;
    } catch (thrown) {
      if (signal.aborted || !isTransient(thrown)) throw thrown;
      if (remainingMs() === 0) {
        if (last) return last;
        throw thrown;
      }
      wait = 0;
    }
    if (wait === 0) await timers.delay(Math.min(POLL_SECONDS * 1000, remainingMs()), signal);
  }
}

/**
 * Returns a function that reports each change of a run once, with rising numbers.
 * @param send sends a progress notification
 */
export function progressReporter(
  send: (progress: { progress: number; total?: number; message: string }) => Promise<void>,
  text: (run: RunView) => string,
): (run: RunView) => Promise<void> {
  let last: { message: string; progress: number } | undefined;
  return async (run) => {
    const message = text(run);
    if (last?.message === message) return;
    // A loop repeats steps, and a retry goes back: progress must rise all the same.
    const done = isTerminal(run.status) ? run.stepCount : (run.currentStep ?? 0);
    const progress = last ? Math.max(last.progress + 0.01, done) : done;
    last = { message, progress };
    await send({ progress, ...(progress <= run.stepCount && { total: run.stepCount }), message });
  };
}
