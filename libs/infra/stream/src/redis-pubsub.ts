import { Redis } from 'ioredis';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { BestEffortRedisWriter, RECONNECT_OPTIONS } from './redis-writer.ts';

type Listener = (message: Buffer) => void;

/** A subscription to one channel. */
export interface Subscription {
  /** Resolves when the subscription is active or the connection has ended. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** Maximum bytes of pending messages. Further ones are dropped. Most are screencast frames, which are soon outdated. */
const MAX_BYTES = 8 * 1024 * 1024;

export interface RedisPubSubDeps {
  redisUrl: string;
  prefix: string;
  log: Log;
  /** Called for each dropped message. */
  onDropped?: ((messages: number) => void) | undefined;
}

/**
 * Publishes messages to current subscribers by channel name. Messages are not stored and are lost during a Redis outage. Use it for
 * data that is outdated within a second.
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
    // ioredis renews subscriptions after a reconnect.
    this.reader = new Redis(redisUrl, {
      lazyConnect: true,
      ...RECONNECT_OPTIONS,
      maxRetriesPerRequest: null,
    });
    this.reader.on('error', () => undefined);
    this.reader.on('messageBuffer', (channel: Buffer, message: Buffer) => {
      const name = channel.toString().slice(this.prefix.length);
      for (const listener of this.listeners.get(name) ?? []) listener(message);
    });
  }

  /** Publishes to the current subscribers. Never throws. */
  async publish(name: string, message: Buffer | string): Promise<void> {
    const isPublished = await this.writer.tryWrite(message.length, (redis) =>
      redis.publish(this.prefix + name, message),
    );
    if (!isPublished) this.onDropped?.(1);
  }

  /** Calls `listener` with messages of any replica once the subscription is `ready`. */
  subscribe(name: string, listener: Listener): Subscription {
    const listeners = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, listeners);
    listeners.add(listener);
    const stop = () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.listeners.get(name) !== listeners) return;
      this.listeners.delete(name);
      void this.sendCommand('unsubscribe', name);
    };
    return { ready: this.sendCommand('subscribe', name), stop };
  }

  close(): void {
    this.listeners.clear();
    this.writer.close();
    this.reader.disconnect();
  }

  private async sendCommand(command: 'subscribe' | 'unsubscribe', name: string): Promise<void> {
    try {
      await this.reader[command](this.prefix + name);
    } catch (error) {
      this.log.debug({ name, error: String(error) }, `Could not ${command}`);
    }
  }
}
