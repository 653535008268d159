/** Milliseconds after which a refused message is tried on another connection. They double with each connection that refuses it. */
const FIRST_MS = 1_000;

/** Measures how long messages of an attempt are unacknowledged, on the monotonic clock. */
export class AckWatchdog {
  /** Unacknowledged since, on this connection. */
  private since: number | undefined;
  /** Unacknowledged since, over all connections. */
  private stuckSince: number | undefined;
  /** Temporarily refused since, on this connection. */
  private refusedSince: number | undefined;
  /** Number of connections that refused a message since the last acknowledgement. */
  private refusals = 0;

  /** Called when a message is sent. */
  onSent(now: number): void {
    this.since ??= now;
    this.stuckSince ??= now;
  }

  /** Called after an acknowledgement. @param isRest true: more messages are unacknowledged */
  onAck(now: number, isRest: boolean): void {
    this.since = isRest ? now : undefined;
    this.stuckSince = this.since;
    this.refusedSince = undefined;
    this.refusals = 0;
  }

  /** Called after a temporary refusal. Without unacknowledged messages it concerns another request. */
  onRefused(now: number): void {
    if (this.since !== undefined) this.refusedSince ??= now;
  }

  /** Called on a new connection: unacknowledged messages are sent again. */
  onReconnect(): void {
    if (this.refusedSince !== undefined) this.refusals += 1;
    this.since = undefined;
    this.refusedSince = undefined;
  }

  /** True if nothing was acknowledged for this long. */
  isExpired(now: number, ms: number): boolean {
    return this.stuckSince !== undefined && now - this.stuckSince > ms;
  }

  /**
   * True if another connection should be tried: after a refusal this one accepts no more messages. All runs of a worker share it, so each
   * repeated refusal waits longer.
   * @param ms maximum wait
   */
  shouldReconnect(now: number, ms: number): boolean {
    if (this.since !== undefined && now - this.since > ms) return true;
    const pauseMs = this.refusals === 0 ? 0 : Math.min(ms, FIRST_MS * 2 ** (this.refusals - 1));
    return this.refusedSince !== undefined && now - this.refusedSince >= pauseMs;
  }
}
