import { type Clock, linkAbort } from '@pilothouse/core';

/** Milliseconds that a step has at least when it is taken up again: what a person did may have made true what it waits for. */
const LEAST_MS = 1_000;

/** How a step that only waits makes way for a person at the wheel. */
export interface Patience {
  /** Calls `stop` as soon as somebody takes the wheel, at once where they have. @returns ends that */
  taken(stop: () => void): () => void;
  /** Whoever took the wheel has the surface until they give it back. @param leftMs milliseconds that the step waits on afterwards */
  giveWay(leftMs: number): Promise<void>;
}

/** What waiting needs of an action. */
interface Waiting {
  readonly patience: Patience | null;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Aborts when the attempt is to stop. */
  readonly signal: AbortSignal;
}

/**
 * Carries out what only waits, and sends no input: who takes the wheel meanwhile has it at once, and what is left of the time is waited for
 * afterwards.
 * @param ms milliseconds for all of it
 * @param wait waits so many milliseconds, with parts that stop sooner
 * @throws as `wait`
 */
export async function runInterruptibly<Parts extends Waiting, Value>(
  ms: number,
  parts: Parts,
  wait: (ms: number, parts: Parts) => Promise<Value>,
): Promise<Value> {
  const { patience, clock, signal } = parts;
  if (!patience) return wait(ms, parts);
  for (let left = ms; ;) {
    const began = clock.monotonic();
    const stop = new AbortController();
    const untie = linkAbort(signal, (reason) => stop.abort(reason));
    const isOver = patience.taken(() => stop.abort(TAKEN));
    try {
      return await wait(left, { ...parts, signal: stop.signal });
    } catch (thrown) {
      if (thrown !== TAKEN) throw thrown;
    } finally {
      isOver();
      untie();
    }
    left = Math.max(LEAST_MS, left - (clock.monotonic() - began));
    await patience.giveWay(left);
  }
}

/** Why a step stops waiting. */
const TAKEN = new Error('Somebody took the wheel');
