import { terminalEvents, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { systemTimers, type Timer } from '@pilothouse/core/time/timers';
import { readEventHeads, readEventsAfter, type Pool } from '@pilothouse/infra-db';
import type { LiveEventStream } from '@pilothouse/infra-stream';

/** Events buffered for a slow reader; with more it reads PostgreSQL. */
const MAX_BUFFERED_EVENTS = 1_000;

/** Time without a live event after which PostgreSQL is polled. */
const POLL_AFTER_SILENCE_MS = 2_000;

/** One reader of one run. */
class BufferedEventReader {
  cursor: number;
  private buffer: RunEvent[] = [];
  private isBehind = true;
  private wake: (() => void) | undefined;
  lastEventAtMs = performance.now();

  constructor(cursor: number) {
    this.cursor = cursor;
  }

  /** Buffers a live event if it is the next one; otherwise the reader has to catch up. */
  push(event: RunEvent): void {
    this.lastEventAtMs = performance.now();
    const next = (this.buffer.at(-1)?.seq ?? this.cursor) + 1;
    if (event.seq < next) return;
    if (event.seq > next || this.buffer.length >= MAX_BUFFERED_EVENTS) this.markBehind();
    else if (!this.isBehind) this.buffer.push(event);
    this.wake?.();
  }

  /** PostgreSQL has to be read before live events. */
  markBehind(): void {
    this.isBehind = true;
    this.buffer = [];
    this.wake?.();
  }

  /** Sequence of the newest event that is delivered or buffered. */
  get head(): number {
    return this.buffer.at(-1)?.seq ?? this.cursor;
  }

  async *read(pool: Pool, run: string, signal: AbortSignal): AsyncGenerator<RunEvent> {
    const stop = () => this.wake?.();
    signal.addEventListener('abort', stop, { once: true });
    try {
      while (!signal.aborted) {
        // `isBehind` is cleared before the query: an event published meanwhile is in the result or arrives live.
        const isCatchingUp = this.isBehind;
        this.isBehind = false;
        const batch = isCatchingUp ? await readEventsAfter(pool, run, this.cursor) : this.buffer.splice(0);
        if (isCatchingUp && batch.length >= 500) this.isBehind = true;
        for (const event of batch) {
          if (event.seq <= this.cursor) continue;
          if (event.seq > this.cursor + 1) {
            this.markBehind();
            break;
          }
          this.cursor = event.seq;
          yield event;
          if (terminalEvents.has(event.type) || signal.aborted) return;
        }
        if (this.isBehind || this.buffer.length > 0) continue;
        await new Promise<void>((resolve) => {
          this.wake = resolve;
          if (signal.aborted) resolve();
        });
        this.wake = undefined;
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

/** All readers of this replica: one Redis reader and one query a second serve them all. */
export class RunEventWatcher {
  private readonly pool: Pool;
  private readonly readers = new Map<string, Set<BufferedEventReader>>();
  private readonly unsubscribe: () => void;
  private readonly timer: Timer;

  constructor(pool: Pool, live: LiveEventStream) {
    this.pool = pool;
    this.unsubscribe = live.subscribe((events) => {
      for (const event of events) for (const reader of this.readers.get(event.run) ?? []) reader.push(event);
    });
    this.timer = systemTimers.setInterval(() => void this.pollIdleRuns(), 1_000);
    this.timer.unref();
  }

  /** Number of active readers, for metrics. */
  get size(): number {
    return [...this.readers.values()].reduce((sum, { size }) => sum + size, 0);
  }

  async *watch(run: string, lastSeq: number, signal: AbortSignal): AsyncGenerator<RunEvent> {
    const reader = new BufferedEventReader(lastSeq);
    const readers = this.readers.get(run) ?? new Set();
    this.readers.set(run, readers.add(reader));
    try {
      yield* reader.read(this.pool, run, signal);
    } finally {
      readers.delete(reader);
      if (readers.size === 0 && this.readers.get(run) === readers) this.readers.delete(run);
    }
  }

  close(): void {
    systemTimers.clearInterval(this.timer);
    this.unsubscribe();
  }

  /** Polls runs without recent events: Redis may be unavailable. */
  private async pollIdleRuns(): Promise<void> {
    const now = performance.now();
    const silent = [...this.readers].filter(([, readers]) =>
      [...readers].some(({ lastEventAtMs }) => now - lastEventAtMs > POLL_AFTER_SILENCE_MS),
    );
    if (silent.length === 0) return;
    try {
      const heads = await readEventHeads(
        this.pool,
        silent.map(([run]) => run),
      );
      for (const { run, seq } of heads) {
        for (const reader of this.readers.get(run) ?? []) {
          reader.lastEventAtMs = now;
          if (seq > reader.head) reader.markBehind();
        }
      }
    } catch {
      // PostgreSQL is unavailable: polled again in a second.
    }
  }
}
