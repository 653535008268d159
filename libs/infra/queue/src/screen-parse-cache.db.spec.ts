import type { ParsedElement } from '@pilothouse/contract/observation/screen-parse.schema';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { ScreenParseCache } from './screen-parse-cache.ts';

describe('elements of parsed screenshots', () => {
  const redisUrl = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
  const prefix = `t${randomUUID().slice(0, 8)}`;
  const redis = new Redis(redisUrl);
  const cache = new ScreenParseCache({ redisUrl, prefix, ttlSeconds: 120, log: memoryLog() });
  const elements: ParsedElement[] = [
    { kind: 'icon', name: 'Save', interactive: true, bounds: { x: 0.1, y: 0.2, width: 0.3, height: 0.1 } },
  ];
  const redisKey = `${prefix}:screen-parse:project:key`;

  beforeAll(() =>
    until('Redis responds', async () => {
      await cache.put('project', 'first', elements);
      return (await cache.get('project', 'first')) !== null;
    }),
  );
  afterAll(() => {
    cache.close();
    redis.disconnect();
  });

  test('are stored for the configured time, for their project', async () => {
    expect(await cache.get('project', 'key')).toBeNull();
    await cache.put('project', 'key', elements);
    expect(await cache.get('project', 'key')).toEqual(elements);
    expect(await cache.get('other', 'key')).toBeNull();
    const ttl = await redis.ttl(redisKey);
    expect(ttl).toBeGreaterThan(100);
    expect(ttl).toBeLessThanOrEqual(120);
  });

  test('expire', async () => {
    await cache.put('project', 'key', elements);
    await redis.pexpire(redisKey, 1);
    await until('the entry has expired', async () => (await cache.get('project', 'key')) === null);
  });

  test.each(['not JSON', '{}', '[{"kind":"icon"}]'])('that are %s in Redis count as missing', async (text) => {
    await redis.set(redisKey, text);
    expect(await cache.get('project', 'key')).toBeNull();
  });

  test('are missing without Redis, and nothing fails', async () => {
    const offline = new ScreenParseCache({
      redisUrl: 'redis://127.0.0.1:1',
      prefix,
      ttlSeconds: 120,
      log: memoryLog(),
    });
    await offline.put('project', 'key', elements);
    expect(await offline.get('project', 'key')).toBeNull();
    offline.close();
  });
});
