import { PilothouseError, type ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunGuard, RunWrite, WrittenRun } from '@pilothouse/infra-db';

/** A run fails after this many lost attempts, or this many rejected claims in a row. */
export const MAX_FAILED_ATTEMPTS = 5;

/** Cause of a returned attempt: `lost` worker or surface, `rejected` by the worker, or `none` that counts. */
export type ReturnCause = 'lost' | 'rejected' | 'none';

/** Earlier attempts of the run: all that were lost, and claims in a row that were rejected. */
export interface AttemptCounts {
  lostAttempts: number;
  rejectedClaims: number;
}

const counterOf = { lost: 'lostAttempts', rejected: 'rejectedClaims' } as const satisfies Record<
  Exclude<ReturnCause, 'none'>,
  keyof AttemptCounts
>;

/** Queues a run whose attempt was returned, or fails it when that happened too often. */
export function requeueOrFail(
  former: AttemptCounts,
  cause: ReturnCause,
  {
    error,
    worker,
    time: time,
    max = MAX_FAILED_ATTEMPTS,
  }: { error: ErrorView; worker: string | null; time: Date; max?: number },
): Pick<RunWrite, 'to' | 'error' | 'events' | 'countsAsLost' | 'countsAsRejected'> {
  if (cause !== 'none') {
    const count = former[counterOf[cause]] + 1;
    if (count >= max) return failAsPoison(cause, count, error.message, time);
  }
  const events = [createEvent('run.requeued', error.message, { error, worker }, time, 'warn')];
  return { to: 'queued', countsAsLost: cause === 'lost', countsAsRejected: cause === 'rejected', events };
}

export interface ReturnedAttempt {
  run: string;
  guard: Omit<RunGuard, 'from' | 'ifCancelled'>;
  change: ReturnType<typeof requeueOrFail>;
  time: Date;
}

/**
 * Queues a run again. A run whose cancellation was requested ends as cancelled.
 * @returns the row; null when the attempt no longer holds the run, or the run waits for an answer
 */
export async function writeReturn(
  write: (reason: RunWrite) => Promise<WrittenRun | null>,
  { run, guard, change: outcome, time }: ReturnedAttempt,
): Promise<WrittenRun | null> {
  const requeued = await write({ run, guard: { ...guard, from: ['running'], ifCancelled: false }, ...outcome });
  if (requeued) return requeued;
  const statuses = ['running', 'awaiting_user'] as const;
  const events = [createEvent('run.cancelled', 'Cancelled', { requestedBy: 'request' }, time)];
  return write({ run, guard: { ...guard, from: statuses, ifCancelled: true }, to: 'cancelled', events });
}

function failAsPoison(
  cause: Exclude<ReturnCause, 'none'>,
  times: number,
  last: string,
  time: Date,
): Pick<RunWrite, 'to' | 'error' | 'events'> {
  const reason =
    cause === 'lost'
      ? `Run failed after losing its worker or surface ${times} times`
      : `No worker accepted the run, ${times} times in a row`;
  const error = new PilothouseError('POISON_RUN', `${reason}. Last cause: ${last}`).view();
  return {
    to: 'failed',
    error,
    events: [createEvent('run.failed', error.message, { error, step: null }, time, 'error')],
  };
}
