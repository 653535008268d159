import { Redis } from 'ioredis';
import type { Log } from '@pilothouse/core';

type Listener = (message: Buffer) => void;

/** Somebody listens. */
export interface Subscription {
  /** Resolves when nothing is missed any more, or the connection is over. */
  readonly ready: Promise<void>;
  stop(): void;
}

const retryStrategy = (attempt: number) => Math.min(50 * 2 ** Math.min(attempt, 6), 2_000);

/**
 * News for whoever listens at the moment, by name: Redis keeps nothing of it, and while it is away there is none. For what is worth
 * nothing a second later.
 */
export class Channels {
  private readonly prefix: string;
  private readonly log: Log;
  private readonly writer: Redis;
  private readonly reader: Redis;
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor({ redisUrl, prefix, log }: { redisUrl: string; prefix: string; log: Log }) {
    this.prefix = `${prefix}:channel:`;
    this.log = log;
    const options = { lazyConnect: true, retryStrategy };
    this.writer = new Redis(redisUrl, {
      ...options,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: 5_000,
    });
    // Subscriptions are made again when the connection is.
    this.reader = new Redis(redisUrl, { ...options, maxRetriesPerRequest: null });
    for (const redis of [this.writer, this.reader]) redis.on('error', () => undefined);
    this.reader.on('messageBuffer', (channel: Buffer, message: Buffer) => {
      const name = channel.toString().slice(this.prefix.length);
      for (const listener of this.listeners.get(name) ?? []) listener(message);
    });
  }

  /** Tells whoever listens now. Never throws. */
  async publish(name: string, message: Buffer | string): Promise<void> {
    try {
      if (this.writer.status === 'wait') await this.writer.connect();
      await this.writer.publish(this.prefix + name, message);
    } catch (error) {
      this.log.debug({ name, error: String(error) }, 'Nobody was told: Redis is away');
    }
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
    this.writer.disconnect();
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
