import { Redis } from 'ioredis';
import type { Log } from '@pilothouse/core';
import { BestEffortRedisWriter, redisReconnectDelay } from './redis-writer.ts';

type Listener = (message: Buffer) => void;

/** Somebody listens. */
export interface Subscription {
  /** Resolves when nothing is missed any more, or the connection is over. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** Bytes of news on their way to Redis beyond which more are dropped: frames, mostly, of which the next one comes soon. */
const MAX_BYTES = 8 * 1024 * 1024;

export interface RedisPubSubDeps {
  redisUrl: string;
  prefix: string;
  log: Log;
  /** Told of each message that was not passed on. */
  onDropped?: ((messages: number) => void) | undefined;
}

/**
 * News for whoever listens at the moment, by name: Redis keeps nothing of it, and while it is away there is none. For what is worth
 * nothing a second later.
 */
export class RedisPubSub {
  private readonly prefix: string;
  private readonly log: Log;
  private readonly writer: BestEffortRedisWriter;
  private readonly onDropped: RedisPubSubDeps['onDropped'];
  private readonly reader: Redis;
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor({ redisUrl, prefix, log, onDropped }: RedisPubSubDeps) {
    this.prefix = `${prefix}:channel:`;
    this.log = log;
    this.onDropped = onDropped;
    this.writer = new BestEffortRedisWriter({ redisUrl, maxBytes: MAX_BYTES, lazy: true, log });
    // Subscriptions are made again when the connection is.
    this.reader = new Redis(redisUrl, {
      lazyConnect: true,
      retryStrategy: redisReconnectDelay,
      maxRetriesPerRequest: null,
    });
    this.reader.on('error', () => undefined);
    this.reader.on('messageBuffer', (channel: Buffer, message: Buffer) => {
      const name = channel.toString().slice(this.prefix.length);
      for (const listener of this.listeners.get(name) ?? []) listener(message);
    });
  }

  /** Tells whoever listens now. Never throws. */
  async publish(name: string, message: Buffer | string): Promise<void> {
    const isTaken = await this.writer.tryWrite(message.length, (redis) => redis.publish(this.prefix + name, message));
    if (!isTaken) this.onDropped?.(1);
  }

  /** Calls `listener` with what is published once the subscription is `ready`, by any replica. */
  subscribe(name: string, listener: Listener): Subscription {
    const listeners = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, listeners);
    listeners.add(listener);
    const stop = () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.listeners.get(name) !== listeners) return;
      this.listeners.delete(name);
      void this.tell('unsubscribe', name);
    };
    return { ready: this.tell('subscribe', name), stop };
  }

  close(): void {
    this.listeners.clear();
    this.writer.close();
    this.reader.disconnect();
  }

  private async tell(what: 'subscribe' | 'unsubscribe', name: string): Promise<void> {
    try {
      await this.reader[what](this.prefix + name);
    } catch (error) {
      this.log.debug({ name, error: String(error) }, `Could not ${what}`);
    }
  }
}
