import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { RunRegistry } from '@pilothouse/core/run/run-registry';
import type { AttemptCounts } from '../../run-lifecycle/requeue.ts';

/** An attempt that a connected worker executes. */
export interface HeldAttempt extends Attempt, AttemptCounts {
  /** Sequence of the last event that was passed on for writing. */
  lastSequence: number;
  isAccepted: boolean;
  /** The acceptance is in the database, or being written. */
  isAcceptanceWritten: boolean;
  /** Milliseconds of `Clock.monotonic()`. */
  assignedAtMs: number;
  /** null after a reconnect: loaded when it is needed. */
  definition: WorkflowDefinition | null;
  /** The last write that is pending or has failed. After a failure nothing more of the attempt is written on this connection. */
  pendingWrite: Promise<unknown> | null;
}

export type HeldAttemptFacts = Pick<
  HeldAttempt,
  'run' | 'epoch' | 'lastSequence' | 'isAccepted' | 'lostAttempts' | 'rejectedClaims' | 'assignedAtMs'
>;

/** Creates the state of an attempt that was just assigned or resumed. */
export const createHeldAttempt = ({
  run,
  epoch,
  lastSequence,
  isAccepted,
  lostAttempts,
  rejectedClaims,
  assignedAtMs,
}: HeldAttemptFacts): HeldAttempt => ({
  run,
  epoch,
  lastSequence,
  isAccepted,
  isAcceptanceWritten: isAccepted,
  lostAttempts,
  rejectedClaims,
  assignedAtMs,
  definition: null,
  pendingWrite: null,
});

/**
 * Writes after the pending write of the attempt. Otherwise the next write could overtake one that is retried,
 * and the events of the retried one would count as known.
 * @throws errors of `write`, and of an earlier write of the attempt
 */
export function afterPendingWrite<Result>(attempt: HeldAttempt, write: () => Promise<Result>): Promise<Result> {
  const pending = attempt.pendingWrite ? attempt.pendingWrite.then(write) : write();
  attempt.pendingWrite = pending;
  const onWritten = () => {
    if (attempt.pendingWrite === pending) attempt.pendingWrite = null;
  };
  pending.then(onWritten, () => undefined);
  return pending;
}

/** The attempts of one worker, by run. */
export class HeldAttempts {
  private readonly byRun = new RunRegistry<string, HeldAttempt>();

  get size(): number {
    return this.byRun.size;
  }

  add(attempt: HeldAttempt): void {
    this.byRun.set(attempt.run, attempt);
  }

  /** The attempt with this epoch. */
  get({ run, epoch }: Attempt): HeldAttempt | undefined {
    const attempt = this.byRun.get(run);
    return attempt?.epoch === epoch ? attempt : undefined;
  }

  /** The attempt with this epoch. @throws PilothouseError LEASE_LOST when the worker does not hold it */
  require(key: Attempt): HeldAttempt {
    const attempt = this.get(key);
    if (!attempt) throw new PilothouseError('LEASE_LOST', 'This worker does not hold the run');
    return attempt;
  }

  /** The attempt of a run, with any epoch. */
  findByRun(run: string): HeldAttempt | undefined {
    return this.byRun.get(run);
  }

  delete(attempt: Attempt): void {
    if (this.get(attempt)) this.byRun.delete(attempt.run);
  }

  values(): HeldAttempt[] {
    return this.byRun.values();
  }
}
