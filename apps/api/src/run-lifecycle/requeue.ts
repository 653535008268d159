import { createEvent, PilothouseError, type ErrorView } from '@pilothouse/contract';
import type { RunGuard, RunWrite, WrittenRun } from '@pilothouse/infra-db';

/** A run that lost so many workers, or their surfaces, takes no more of them down; one that so many in a row did not take goes round no more. */
export const MAX_FAILED_ATTEMPTS = 5;

/** Why an attempt goes back: it lost its worker or its surface, no worker took it, or it is nobody's fault. */
export type ReturnCause = 'lost' | 'refused' | 'none';

/** How often an attempt at the run went back before: lost in all, refused in a row. */
export interface AttemptCounts {
  lostAttempts: number;
  rejectedClaims: number;
}

const counterOf = { lost: 'lostAttempts', refused: 'rejectedClaims' } as const satisfies Record<
  Exclude<ReturnCause, 'none'>,
  keyof AttemptCounts
>;

/** A run whose attempt ended without it: back to the queue, or the end of one to which that happened too often. */
export function requeueOrFail(
  former: AttemptCounts,
  cause: ReturnCause,
  {
    error,
    worker,
    at,
    max: max = MAX_FAILED_ATTEMPTS,
  }: { error: ErrorView; worker: string | null; at: Date; max?: number },
): Pick<RunWrite, 'to' | 'error' | 'events' | 'countsAsLost' | 'countsAsRejected'> {
  if (cause !== 'none') {
    const count = former[counterOf[cause]] + 1;
    if (count >= max) return failAsPoison(cause, count, error.message, at);
  }
  const events = [createEvent('run.requeued', error.message, { error, worker }, at, 'warn')];
  return { to: 'queued', countsAsLost: cause === 'lost', countsAsRejected: cause === 'refused', events };
}

/** An attempt that goes back. */
export interface ReturnedAttempt {
  run: string;
  guard: Omit<RunGuard, 'from' | 'ifCancelled'>;
  change: ReturnType<typeof requeueOrFail>;
  at: Date;
}

/**
 * Gives a run back, unless somebody asked it to stop: nobody begins it again, and that is its end.
 * @returns the row; null where the attempt does not have the run any more, or the run waits for a person
 */
export async function writeReturn(
  write: (reason: RunWrite) => Promise<WrittenRun | null>,
  { run, guard, change: back, at }: ReturnedAttempt,
): Promise<WrittenRun | null> {
  const written = await write({ run, guard: { ...guard, from: ['running'], ifCancelled: false }, ...back });
  if (written) return written;
  const from = ['running', 'awaiting_user'] as const;
  const events = [createEvent('run.cancelled', 'Cancelled', { requestedBy: 'request' }, at)];
  return write({ run, guard: { ...guard, from, ifCancelled: true }, to: 'cancelled', events });
}

function failAsPoison(
  cause: Exclude<ReturnCause, 'none'>,
  times: number,
  last: string,
  at: Date,
): Pick<RunWrite, 'to' | 'error' | 'events'> {
  const reason =
    cause === 'lost'
      ? `The run lost its worker or its surface ${times} times`
      : `No worker took the run, ${times} times in a row`;
  const error = new PilothouseError('POISON_RUN', `${reason}. The last time: ${last}`).view();
  return {
    to: 'failed',
    error,
    events: [createEvent('run.failed', error.message, { error, step: null }, at, 'error')],
  };
}
