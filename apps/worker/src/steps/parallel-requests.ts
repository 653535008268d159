import { hasOwnPage, PilothouseError, toPilothouseError, type ParallelStep } from '@pilothouse/contract';
import type { ActionServices, ActionOutcome } from '@pilothouse/core';
import { sendHttpRequest, type RequestRoute } from '../network/http-request.ts';

/**
 * Sends the requests of a step at once.
 * @returns value: that of each, by its name
 * @throws PilothouseError what the first that failed threw, with its name; the others are stopped by then
 */
export async function sendParallelRequests(
  { branches }: ParallelStep,
  way: RequestRoute,
  context: Pick<ActionServices, 'signal' | 'guard' | 'reveal'>,
): Promise<ActionOutcome> {
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  let failed: PilothouseError | undefined;
  const all = Object.entries(branches).map(async ([name, request]) => {
    try {
      if (hasOwnPage(request)) throw new Error('A branch with a page is no request');
      const { value } = await sendHttpRequest(request, way, { ...context, signal });
      return [name, value ?? null] as const;
    } catch (thrown) {
      const { code, message, details } = toPilothouseError(thrown).view();
      failed ??= new PilothouseError(code, `${name}: ${message}`, {
        cause: thrown,
        details: { ...details, branch: name },
      });
      stop.abort(failed);
      return [name, null] as const;
    }
  });
  // All of them: none goes on when the step is over.
  const values = await Promise.all(all);
  context.signal.throwIfAborted();
  if (failed) throw failed;
  return { located: null, value: Object.fromEntries(values) };
}
