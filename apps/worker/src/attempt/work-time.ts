import type { Assignment, PilothouseError } from '@pilothouse/contract';
import { timeBudgetExceeded, secondsLeft, type Clock, systemTimers, type Timer } from '@pilothouse/core';

/** The seconds an attempt has worked, without those in which it waited for a person; ends the attempt when they are over. */
export class WorkTimer {
  private readonly assignment: Pick<Assignment, 'budget' | 'definition'>;
  private readonly clock: Clock;
  private readonly onOver: (error: PilothouseError) => void;
  private worked = 0;
  private since: number | undefined;
  private timer: Timer | undefined;

  constructor(
    assignment: Pick<Assignment, 'budget' | 'definition'>,
    clock: Clock,
    onOver: (error: PilothouseError) => void,
  ) {
    this.assignment = assignment;
    this.clock = clock;
    this.onOver = onOver;
    this.resume();
  }

  get seconds(): number {
    return (this.worked + (this.since === undefined ? 0 : this.clock.monotonic() - this.since)) / 1000;
  }

  /** Time counts from now on. */
  resume(): void {
    this.since ??= this.clock.monotonic();
    const { budget, definition } = this.assignment;
    const left = secondsLeft(budget, definition.timeout, { seconds: this.seconds });
    if (left === Infinity) return;
    systemTimers.clearTimeout(this.timer);
    this.timer = systemTimers.setTimeout(
      () => this.onOver(timeBudgetExceeded(budget, definition.timeout)),
      Math.max(0, left * 1000),
    );
  }

  /** Time does not count until `go`. */
  pause(): void {
    this.worked = this.seconds * 1000;
    this.since = undefined;
    systemTimers.clearTimeout(this.timer);
  }
}
