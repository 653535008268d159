import { makeEvent, PilothouseError, type ErrorView } from '@pilothouse/contract';
import type { RunGuard, RunWrite, RunWritten } from '@pilothouse/infra-db';

/** A run that lost so many workers, or their surfaces, takes no more of them down; one that so many in a row did not take goes round no more. */
export const MAX_LOST = 5;

/** Why an attempt goes back: it lost its worker or its surface, no worker took it, or it is nobody's fault. */
export type Fault = 'lost' | 'refused' | 'none';

/** How often an attempt at the run went back before: lost in all, refused in a row. */
export interface Former {
  lost: number;
  refused: number;
}

/** A run whose attempt ended without it: back to the queue, or the end of one to which that happened too often. */
export function givenBack(
  former: Former,
  fault: Fault,
  { error, worker, at, most = MAX_LOST }: { error: ErrorView; worker: string | null; at: Date; most?: number },
): Pick<RunWrite, 'to' | 'error' | 'events' | 'lost' | 'refused'> {
  if (fault !== 'none' && former[fault] + 1 >= most) return poisoned(fault, former[fault] + 1, error.message, at);
  const events = [makeEvent('run.requeued', error.message, { error, worker }, at, 'warn')];
  return { to: 'queued', lost: fault === 'lost', refused: fault === 'refused', events };
}

/** An attempt that goes back. */
export interface Returned {
  run: string;
  guard: Omit<RunGuard, 'from' | 'ifCancelled'>;
  back: ReturnType<typeof givenBack>;
  at: Date;
}

/**
 * Gives a run back, unless somebody asked it to stop: nobody begins it again, and that is its end.
 * @returns the row; null where the attempt does not have the run any more, or the run waits for a person
 */
export async function giveBack(
  write: (what: RunWrite) => Promise<RunWritten | null>,
  { run, guard, back, at }: Returned,
): Promise<RunWritten | null> {
  const written = await write({ run, guard: { ...guard, from: ['running'], ifCancelled: false }, ...back });
  if (written) return written;
  const from = ['running', 'awaiting_user'] as const;
  const events = [makeEvent('run.cancelled', 'Cancelled', { by: 'request' }, at)];
  return write({ run, guard: { ...guard, from, ifCancelled: true }, to: 'cancelled', events });
}

function poisoned(
  fault: Exclude<Fault, 'none'>,
  times: number,
  last: string,
  at: Date,
): Pick<RunWrite, 'to' | 'error' | 'events'> {
  const what =
    fault === 'lost'
      ? `The run lost its worker or its surface ${times} times`
      : `No worker took the run, ${times} times in a row`;
  const error = new PilothouseError('POISON_RUN', `${what}. The last time: ${last}`).view();
  return { to: 'failed', error, events: [makeEvent('run.failed', error.message, { error, step: null }, at, 'error')] };
}
