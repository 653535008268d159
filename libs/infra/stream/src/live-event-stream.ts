import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import type { RunEvent } from '@pilothouse/contract';
import { type Log, sleep, systemTimers } from '@pilothouse/core';
import { BestEffortRedisWriter, redisReconnectDelay } from './redis-writer.ts';

/** Entries kept in the stream, each of one commit: what a reader may be behind before it reads PostgreSQL instead. */
const KEPT = 2_000;

/** Events of one entry: a commit may hold more. */
const MOST_EVENTS = 500;

/** Bytes of events on their way to Redis beyond which more are dropped: other replicas read them from PostgreSQL. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Milliseconds that a read waits for news, and for an answer after that. */
const BLOCK_MS = 5_000;
const ANSWER_MS = 5_000;

export interface LiveEventStreamDeps {
  redisUrl: string;
  prefix: string;
  log: Log;
  /** Told how many events the other replicas were not told of. */
  onDropped?: ((events: number) => void) | undefined;
  /** Most bytes on their way to Redis (default 16 MB). */
  maxBytes?: number;
}

/**
 * The live tail of all runs: a Redis stream that every API replica reads once. It may lose events (Redis is a hint); whoever
 * reads sees the gap in `seq` and asks PostgreSQL.
 */
export class LiveEventStream {
  private readonly key: string;
  /** Names this replica in the entries that it writes. */
  private readonly id = randomUUID();
  private readonly log: Log;
  private readonly writer: BestEffortRedisWriter;
  private readonly onDropped: LiveEventStreamDeps['onDropped'];
  private readonly reader: Redis;
  private readonly listeners = new Set<(events: readonly RunEvent[]) => void>();
  private readonly closing = new AbortController();
  private reading: Promise<void> | undefined;

  constructor({ redisUrl, prefix, log, onDropped, maxBytes = MAX_BYTES }: LiveEventStreamDeps) {
    this.key = `${prefix}:events`;
    this.log = log;
    this.onDropped = onDropped;
    this.writer = new BestEffortRedisWriter({ redisUrl, maxBytes, log });
    this.reader = new Redis(redisUrl, {
      maxRetriesPerRequest: null,
      // A server that is stopped, or gone with its network, closes nothing.
      socketTimeout: BLOCK_MS + ANSWER_MS,
      retryStrategy: redisReconnectDelay,
    });
    this.reader.on('error', () => undefined);
  }

  /**
   * Publishes events in order: here at once, to the other replicas through Redis. Never throws and keeps nothing back for a Redis that is away
   * or hangs: readers catch up from PostgreSQL.
   */
  publish(events: readonly RunEvent[]): void {
    if (events.length === 0) return;
    this.notify(events);
    for (let from = 0; from < events.length; from += MOST_EVENTS) {
      const some = events.slice(from, from + MOST_EVENTS);
      void this.send(JSON.stringify(some), some.length);
    }
  }

  /** Calls `listener` with what is published from now on, by any replica. @returns how to stop */
  subscribe(listener: (events: readonly RunEvent[]) => void): () => void {
    this.listeners.add(listener);
    this.reading ??= this.read();
    return () => this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.writer.close();
    this.reader.disconnect();
    // A read that was handed in while Redis could not be reached never settles; what it would bring nobody wants any more.
    await Promise.race([this.reading, systemTimers.delay(500)]);
  }

  private async send(events: string, count: number): Promise<void> {
    const isTaken = await this.writer.tryWrite(events.length, (redis) =>
      redis.xadd(this.key, 'MAXLEN', '~', KEPT, '*', 'e', events, 'by', this.id),
    );
    if (!isTaken) this.onDropped?.(count);
  }

  private async read(): Promise<void> {
    let after = '$';
    while (!this.closing.signal.aborted) {
      try {
        const answer = await this.reader.xread('COUNT', 100, 'BLOCK', BLOCK_MS, 'STREAMS', this.key, after);
        const entries = answer?.[0]?.[1] ?? [];
        const events = entries.flatMap(([, fields]) => this.remoteEvents(fields));
        after = entries.at(-1)?.[0] ?? (after === '$' ? await this.head() : after);
        if (events.length > 0) this.notify(events);
      } catch (error) {
        if (this.closing.signal.aborted) return;
        this.log.debug({ error: String(error) }, 'Live events could not be read; trying again');
        await sleep(200, this.closing.signal);
      }
    }
  }

  /** What another replica wrote; what this one did was heard when it was published. */
  private remoteEvents([, events, , by]: readonly string[]): RunEvent[] {
    return events === undefined || by === this.id ? [] : (JSON.parse(events) as RunEvent[]);
  }

  private notify(events: readonly RunEvent[]): void {
    for (const listener of this.listeners) listener(events);
  }

  /** Id of the newest entry: `$` would skip what comes between two reads. */
  private async head(): Promise<string> {
    const newest = await this.reader.xrevrange(this.key, '+', '-', 'COUNT', 1);
    return newest[0]?.[0] ?? '0-0';
  }
}
