/** Milliseconds on another connection in which what was refused on the last one may be taken; they double with each that refuses it. */
const FIRST_MS = 1_000;

/** How long what an attempt has written is unanswered, on the monotonic clock. */
export class AckWatchdog {
  /** On this connection. */
  private since: number | undefined;
  /** Over all connections. */
  private stuckSince: number | undefined;
  /** Since when it is refused, for now, on this connection. */
  private refusedSince: number | undefined;
  /** Connections that refused it since something was taken. */
  private refusals = 0;

  /** Something is on the wire. */
  onSent(now: number): void {
    this.since ??= now;
    this.stuckSince ??= now;
  }

  /** The gateway has taken some of it. @param isRest whether more of it is on the wire */
  onAck(now: number, isRest: boolean): void {
    this.since = isRest ? now : undefined;
    this.stuckSince = this.since;
    this.refusedSince = undefined;
    this.refusals = 0;
  }

  /** The gateway did not take something, and may later. Where nothing is on the wire it was about something else. */
  onRefused(now: number): void {
    if (this.since !== undefined) this.refusedSince ??= now;
  }

  /** Another connection is there: what is not taken is sent again. */
  onReconnect(): void {
    if (this.refusedSince !== undefined) this.refusals += 1;
    this.since = undefined;
    this.refusedSince = undefined;
  }

  /** Whether nothing at all was taken for so long. */
  isExpired(now: number, ms: number): boolean {
    return this.stuckSince !== undefined && now - this.stuckSince > ms;
  }

  /**
   * Whether another connection is to be tried: after a refusal nothing more is taken on this one. All runs of a worker share it, so
   * each that is refused again waits longer.
   * @param ms after so long at the latest
   */
  shouldReconnect(now: number, ms: number): boolean {
    if (this.since !== undefined && now - this.since > ms) return true;
    const pauseMs = this.refusals === 0 ? 0 : Math.min(ms, FIRST_MS * 2 ** (this.refusals - 1));
    return this.refusedSince !== undefined && now - this.refusedSince >= pauseMs;
  }
}
