import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { withTimeout } from '@pilothouse/core/time/deadlines';
import { sleep } from '@pilothouse/core/time/timers';
import { BestEffortRedisWriter, RECONNECT_OPTIONS } from './redis-writer.ts';

/** Maximum number of stream entries, one per commit. A reader that falls further behind reads PostgreSQL. */
const MAX_ENTRIES = 2_000;

/** Maximum number of events per entry. Larger commits use several entries. */
const MAX_EVENTS_PER_ENTRY = 500;

/** Maximum bytes of pending writes. Further events are dropped; other replicas read them from PostgreSQL. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Milliseconds that a read blocks, and milliseconds until the response after that. */
const BLOCK_MS = 5_000;
const RESPONSE_MS = 5_000;

const CLOSE_TIMEOUT_MS = 500;

export interface LiveEventStreamDeps {
  redisUrl: string;
  prefix: string;
  log: Log;
  /** Called with the number of events that were not sent to other replicas. */
  onDropped?: ((events: number) => void) | undefined;
  /** Maximum bytes of pending writes. Default: 16 MiB. */
  maxBytes?: number;
}

/**
 * Live events of all runs: a Redis stream that every API replica reads. It may lose events. Subscribers detect a gap in `seq` and
 * read PostgreSQL.
 */
export class LiveEventStream {
  private readonly key: string;
  /** Identifies this replica in its entries. */
  private readonly replicaId = randomUUID();
  private readonly log: Log;
  private readonly writer: BestEffortRedisWriter;
  private readonly onDropped: LiveEventStreamDeps['onDropped'];
  private readonly reader: Redis;
  private readonly listeners = new Set<(events: readonly RunEvent[]) => void>();
  private readonly closing = new AbortController();
  private readLoop: Promise<void> | undefined;

  constructor({ redisUrl, prefix, log, onDropped, maxBytes = MAX_BYTES }: LiveEventStreamDeps) {
    this.key = `${prefix}:events`;
    this.log = log;
    this.onDropped = onDropped;
    this.writer = new BestEffortRedisWriter({ redisUrl, maxBytes, log });
    this.reader = new Redis(redisUrl, {
      maxRetriesPerRequest: null,
      // A stopped or unreachable server closes no connection.
      socketTimeout: BLOCK_MS + RESPONSE_MS,
      ...RECONNECT_OPTIONS,
    });
    this.reader.on('error', () => undefined);
  }

  /**
   * Publishes events in order: to local subscribers at once, to other replicas through Redis. Never throws. Does not buffer during a
   * Redis outage: subscribers catch up from PostgreSQL.
   */
  publish(events: readonly RunEvent[]): void {
    if (events.length === 0) return;
    this.notify(events);
    for (let start = 0; start < events.length; start += MAX_EVENTS_PER_ENTRY) {
      const batch = events.slice(start, start + MAX_EVENTS_PER_ENTRY);
      void this.send(JSON.stringify(batch), batch.length);
    }
  }

  /** Calls `listener` with events of any replica. @returns a function that unsubscribes */
  subscribe(listener: (events: readonly RunEvent[]) => void): () => void {
    this.listeners.add(listener);
    this.readLoop ??= this.read();
    return () => this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.writer.close();
    this.reader.disconnect();
    // A read that was queued during a Redis outage never settles, so the wait is limited.
    if (this.readLoop) await withTimeout(this.readLoop, CLOSE_TIMEOUT_MS).catch(() => undefined);
  }

  private async send(events: string, count: number): Promise<void> {
    const isPublished = await this.writer.tryWrite(events.length, (redis) =>
      redis.xadd(this.key, 'MAXLEN', '~', MAX_ENTRIES, '*', 'e', events, 'by', this.replicaId),
    );
    if (!isPublished) this.onDropped?.(count);
  }

  private async read(): Promise<void> {
    let lastEntryId = '$';
    while (!this.closing.signal.aborted) {
      try {
        const answer = await this.reader.xread('COUNT', 100, 'BLOCK', BLOCK_MS, 'STREAMS', this.key, lastEntryId);
        const entries = answer?.[0]?.[1] ?? [];
        const events = entries.flatMap(([, fields]) => this.remoteEvents(fields));
        lastEntryId = entries.at(-1)?.[0] ?? (lastEntryId === '$' ? await this.newestId() : lastEntryId);
        if (events.length > 0) this.notify(events);
      } catch (error) {
        if (this.closing.signal.aborted) return;
        this.log.debug({ error: String(error) }, 'live event read failed, retrying');
        await sleep(200, this.closing.signal);
      }
    }
  }

  /** Events of an entry of another replica. Own events were delivered on publish. */
  private remoteEvents([, events, , publisher]: readonly string[]): RunEvent[] {
    return events === undefined || publisher === this.replicaId ? [] : (JSON.parse(events) as RunEvent[]);
  }

  private notify(events: readonly RunEvent[]): void {
    for (const listener of this.listeners) listener(events);
  }

  /** Id of the newest entry. `$` would skip entries between two reads. */
  private async newestId(): Promise<string> {
    const newest = await this.reader.xrevrange(this.key, '+', '-', 'COUNT', 1);
    return newest[0]?.[0] ?? '0-0';
  }
}
