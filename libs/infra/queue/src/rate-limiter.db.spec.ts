import { randomUUID } from 'node:crypto';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { RateLimiter } from './rate-limiter.ts';

describe('rate limits', () => {
  const redisUrl = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
  const prefix = `t${randomUUID().slice(0, 8)}`;
  const [limiter, otherLimiter] = [0, 1].map(() => new RateLimiter({ redisUrl, prefix, log: memoryLog() })) as [
    RateLimiter,
    RateLimiter,
  ];
  beforeAll(async () => {
    const limit = { perMinute: 1_000, maxWaitMs: 60_000 };
    for (const turns of [limiter, otherLimiter]) {
      await until('Redis responds', () =>
        turns.acquire('first', limit).then(
          () => true,
          () => false,
        ),
      );
    }
  });
  afterAll(() => [limiter, otherLimiter].forEach((each) => each.close()));

  test('are shared by replicas: a burst at once, then one by one', async () => {
    const limit = { perMinute: 20, maxWaitMs: 60_000 };
    const permits: { requestedAt: number; permittedAt: number; wait: number }[] = [];
    for (const current of [limiter, otherLimiter, limiter, otherLimiter, limiter]) {
      const requestedAt = performance.now();
      const wait = (await current.acquire('a', limit)) ?? -1;
      permits.push({ requestedAt: requestedAt + wait, permittedAt: performance.now() + wait, wait });
    }
    const [first, second, third] = permits;
    expect([first?.wait, second?.wait]).toEqual([0, 0]);
    // By the clock of Redis, except for rounding, a permit is granted between both times. The third waits, unless three seconds have passed.
    expect((third?.permittedAt ?? 0) - (first?.requestedAt ?? 0)).toBeGreaterThanOrEqual(2_900);
    for (const [index, { permittedAt }] of permits.entries()) {
      const previous = permits[index - 1];
      if (previous && previous.wait > 0) expect(permittedAt - previous.requestedAt).toBeGreaterThanOrEqual(2_900);
    }
  });

  test('are rejected if the wait exceeds its maximum', async () => {
    const limit = { perMinute: 1, maxWaitMs: 30_000 };
    expect(await limiter.acquire('b', limit)).toBe(0);
    expect(await otherLimiter.acquire('b', limit)).toBeNull();
    expect(await otherLimiter.acquire('b', limit)).toBeNull();
    const wait = (await limiter.acquire('b', { perMinute: 1, maxWaitMs: 60_000 })) ?? -1;
    expect(wait).toBeGreaterThan(30_000);
    expect(wait).toBeLessThanOrEqual(60_000);
  });

  test('are separate for each name', async () => {
    expect(await limiter.acquire('c', { perMinute: 1, maxWaitMs: 0 })).toBe(0);
    expect(await limiter.acquire('d', { perMinute: 1, maxWaitMs: 0 })).toBe(0);
  });
});
