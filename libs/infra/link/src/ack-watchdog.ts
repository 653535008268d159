/** Milliseconds after which a refused message is tried on another connection. They double with each connection that refuses it. */
const FIRST_RETRY_MS = 1_000;

/** Measures how long messages of an attempt are unacknowledged, on the monotonic clock. */
export class AckWatchdog {
  /** Unacknowledged since, on this connection. */
  private unackedSince: number | undefined;
  /** Unacknowledged since, over all connections. */
  private overallUnackedSince: number | undefined;
  /** Temporarily refused since, on this connection. */
  private refusedSince: number | undefined;
  /** Number of connections that refused a message since the last acknowledgement. */
  private refusals = 0;

  /** Called when a message is sent. */
  onSent(now: number): void {
    this.unackedSince ??= now;
    this.overallUnackedSince ??= now;
  }

  /** Called after an acknowledgement. @param hasMore true: more messages are unacknowledged */
  onAck(now: number, hasMore: boolean): void {
    this.unackedSince = hasMore ? now : undefined;
    this.overallUnackedSince = this.unackedSince;
    this.refusedSince = undefined;
    this.refusals = 0;
  }

  /** Called after a temporary refusal. Without unacknowledged messages it concerns another request. */
  onRefused(now: number): void {
    if (this.unackedSince !== undefined) this.refusedSince ??= now;
  }

  /** Called on a new connection: unacknowledged messages are sent again. */
  onReconnect(): void {
    if (this.refusedSince !== undefined) this.refusals += 1;
    this.unackedSince = undefined;
    this.refusedSince = undefined;
  }

  /** True if nothing was acknowledged for this long. */
  isExpired(now: number, maxMs: number): boolean {
    return this.overallUnackedSince !== undefined && now - this.overallUnackedSince > maxMs;
  }

  /**
   * True if another connection should be tried: after a refusal this one accepts no more messages. All runs of a worker share it, so each
   * repeated refusal waits longer.
   * @param maxMs maximum wait
   */
  shouldReconnect(now: number, maxMs: number): boolean {
    if (this.unackedSince !== undefined && now - this.unackedSince > maxMs) return true;
    const pauseMs = this.refusals === 0 ? 0 : Math.min(maxMs, FIRST_RETRY_MS * 2 ** (this.refusals - 1));
    return this.refusedSince !== undefined && now - this.refusedSince >= pauseMs;
  }
}
