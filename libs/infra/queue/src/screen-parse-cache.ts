import { parsedElementsSchema, type ParsedElement } from '@pilothouse/contract/observation/screen-parse.schema';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import type { Redis } from 'ioredis';
import { createRedis, FAIL_FAST_OPTIONS } from './redis-connection.ts';

interface ScreenParseCacheOptions {
  readonly redisUrl: string;
  readonly prefix: string;
  /** Seconds for which the elements of a screenshot are stored. */
  readonly ttlSeconds: number;
  readonly log: Log;
}

/** Elements of parsed screenshots, for all replicas. Without Redis it stores nothing. */
export class ScreenParseCache {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #ttlSeconds: number;
  readonly #log: Log;

  constructor({ redisUrl, prefix, ttlSeconds, log }: ScreenParseCacheOptions) {
    this.#redis = createRedis(redisUrl, FAIL_FAST_OPTIONS, log);
    this.#prefix = prefix;
    this.#ttlSeconds = ttlSeconds;
    this.#log = log;
  }

  /** @returns null if nothing is stored, or Redis is unavailable. Never throws */
  async get(project: string, key: string): Promise<readonly ParsedElement[] | null> {
    try {
      const text = await this.#redis.get(this.#keyOf(project, key));
      return text === null ? null : parsedElementsSchema.parse(JSON.parse(text));
    } catch (error) {
      this.#log.debug({ error: String(error) }, 'screen-parse cache not readable');
      return null;
    }
  }

  /** Never throws. */
  async put(project: string, key: string, elements: readonly ParsedElement[]): Promise<void> {
    try {
      await this.#redis.set(this.#keyOf(project, key), JSON.stringify(elements), 'EX', this.#ttlSeconds);
    } catch (error) {
      this.#log.debug({ error: String(error) }, 'screen-parse cache entry not stored');
    }
  }

  close(): void {
    this.#redis.disconnect();
  }

  #keyOf(project: string, key: string): string {
    return `${this.#prefix}:screen-parse:${project}:${key}`;
  }
}
