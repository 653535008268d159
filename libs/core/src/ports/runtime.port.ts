/** Context of every wait, which ends at the deadline or when the signal aborts. */
export interface Context {
  /** Aborts with a PilothouseError as its reason (`RUN_CANCELLED`, `LEASE_LOST`, `BUDGET_EXCEEDED`, ...). */
  readonly signal: AbortSignal;
  /** Instant on `clock.monotonic()`, in milliseconds, after which nothing may be waited for. */
  readonly deadline: number;
  readonly log: Log;
}

/** A log line: facts first, then one line for people. Never a secret. */
export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** Injected time: `now` for timestamps, `monotonic` (milliseconds) for durations and waits. */
export interface Clock {
  now(): Date;
  monotonic(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};
