import { unwrapData, type Client } from '@pilothouse/client';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { ToolContext } from './tool.ts';

/** Seconds of one request. A question or another step is noticed after that time at the latest. */
const POLL_SECONDS = 1;

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

/**
 * Waits until a run has ended or asks a question, and reports its progress.
 * @returns the run as it is then, or after the time
 * @throws the errors of the API; the reason of the signal
 */
export async function waitForRun(
  run: string,
  waitSeconds: number,
  { client, timers, signal, report }: ToolContext,
): Promise<RunView> {
  const deadline = timers.monotonic() + waitSeconds * 1000;
  let wait = 0;
  for (;;) {
    const view = await readRun(client, run, { wait, signal });
    await report(view);
    const leftSeconds = (deadline - timers.monotonic()) / 1000;
    if (isTerminal(view.status) || needsAnswer(view) || leftSeconds <= 0) return view;
    wait = Math.min(POLL_SECONDS, Math.ceil(leftSeconds));
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
