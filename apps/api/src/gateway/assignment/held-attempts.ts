import type { WorkflowDefinition } from '@pilothouse/contract';
import { RunRegistry } from '@pilothouse/core';

/** An attempt that a worker of this gateway carries out. */
export interface HeldAttempt {
  run: string;
  epoch: number;
  /** Number of the last event that was handed on for writing. */
  lastEventN: number;
  accepted: boolean;
  /** The acceptance is on its way into the database, or there. */
  acceptanceWritten: boolean;
  /** Former attempts at the run that lost their worker or its surface. */
  lostAttempts: number;
  /** Claims in a row that no worker accepted before. */
  rejectedClaims: number;
  /** Monotonic milliseconds. */
  assignedAt: number;
  /** null after a reconnect: loaded when the output is to be checked. */
  definition: WorkflowDefinition | null;
  /** The last of its writes that is under way, or that failed: then nothing more of it is written here. */
  pendingWrite: Promise<unknown> | null;
}

/**
 * Writes when all that was handed in before for the attempt is written, and only then: a write that is tried again would be passed by the next one
 * otherwise, and what it brings would count as known.
 * @throws what it throws, or one before it threw
 */
export function afterPendingWrite<Written>(held: HeldAttempt, write: () => Promise<Written>): Promise<Written> {
  const turn = held.pendingWrite ? held.pendingWrite.then(write) : write();
  held.pendingWrite = turn;
  const done = () => {
    if (held.pendingWrite === turn) held.pendingWrite = null;
  };
  turn.then(done, () => undefined);
  return turn;
}

/** The attempts of one worker, by run. */
export class HeldAttempts {
  private readonly held = new RunRegistry<string, HeldAttempt>();

  get size(): number {
    return this.held.size;
  }

  add(run: HeldAttempt): void {
    this.held.set(run.run, run);
  }

  /** The attempt, if it is the one with this epoch. */
  get({ run, epoch }: { run: string; epoch: number }): HeldAttempt | undefined {
    const held = this.held.get(run);
    return held?.epoch === epoch ? held : undefined;
  }

  /** The attempt at a run, whichever it is. */
  of(run: string): HeldAttempt | undefined {
    return this.held.get(run);
  }

  delete(attempt: { run: string; epoch: number }): void {
    if (this.get(attempt)) this.held.delete(attempt.run);
  }

  values(): HeldAttempt[] {
    return this.held.values();
  }
}
