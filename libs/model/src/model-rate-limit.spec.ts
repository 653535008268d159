import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { createModelRateLimit } from './model-rate-limit.ts';

describe('the rate limit of an API key', () => {
  const reservations: { name: string; perMinute: number; maxWaitMs: number }[] = [];
  const log = memoryLog();
  const pace = (answer: () => Promise<number | null>) =>
    createModelRateLimit({
      turns: {
        acquire: (name, limit) => {
          reservations.push({ name, ...limit });
          return answer();
        },
      },
      perMinute: 30,
      endpoints: { gemini: { apiKey: 'a-key' }, groq: { apiKey: 'another', callsPerMinute: 5 } },
      clock: systemClock,
      log,
    });
  const context = (ms: number, signal = new AbortController().signal) => ({
    signal,
    deadline: systemClock.monotonic() + ms,
  });

  test('is stored by a hash of the key', async () => {
    await pace(async () => 1)('gemini', context(5_000));
    expect(reservations.at(-1)?.name).toMatch(/^gemini:[0-9a-f]{16}$/);
    expect(reservations.at(-1)?.perMinute).toBe(30);
    expect(reservations.at(-1)?.maxWaitMs).toBeLessThanOrEqual(5_000);
    expect(JSON.stringify(reservations)).not.toContain('a-key');
  });

  test('may be set for an endpoint; without one, calls are not counted', async () => {
    await pace(async () => 0)('groq', context(5_000));
    expect(reservations.at(-1)).toMatchObject({ name: expect.stringMatching(/^groq:/), perMinute: 5 });
    await createModelRateLimit({
      turns: { acquire: async () => null },
      perMinute: undefined,
      endpoints: { gemini: { apiKey: 'a-key' } },
      clock: systemClock,
      log,
    })('gemini', context(5_000));
  });

  test('rejects calls that would wait too long, and drops aborted ones', async () => {
    await expect(pace(async () => null)('gemini', context(5_000))).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    const stop = new AbortController();
    const waiting = pace(async () => 60_000)('gemini', context(90_000, stop.signal));
    stop.abort(new Error('The gateway stops'));
    await expect(waiting).rejects.toThrow('The gateway stops');
  });

  test('is not enforced while Redis is unavailable', async () => {
    await pace(() => Promise.reject(new Error('away')))('gemini', context(5_000));
    expect(log.lines.at(-1)).toMatchObject({ level: 'warn', facts: { provider: 'gemini' } });
  });
});
