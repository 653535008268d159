import { randomUUID } from 'node:crypto';
import { makeEvent, type RunEvent } from '@pilothouse/contract';
import { memoryLog, until } from '@pilothouse/testing';
import { LiveEvents } from './live.ts';

const redisUrl = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
const event = (run: string, seq: number): RunEvent => ({
  ...makeEvent('log', `event ${seq}`, { facts: {} }, new Date(0)),
  run,
  seq,
  epoch: 1,
});

describe('live events', () => {
  it('reach every replica once and in order, from the moment it listens', async () => {
    const prefix = `t${randomUUID()}`;
    const [a, b] = [1, 2].map(() => new LiveEvents({ redisUrl, prefix, log: memoryLog() })) as [LiveEvents, LiveEvents];
    const run = randomUUID();
    const seen = { a: [] as number[], b: [] as number[] };
    a.subscribe((events) => seen.a.push(...events.map(({ seq }) => seq)));
    b.subscribe((events) => seen.b.push(...events.map(({ seq }) => seq)));
    // The first ones may be published before the readers stand at the stream.
    let seq = 0;
    await until('both listen', () => {
      a.publish([event(run, ++seq)]);
      return seen.a.length > 0 && seen.b.length > 0;
    });
    const last = seq + 100;
    while (seq < last) a.publish([event(run, ++seq), event(run, ++seq)]);
    await until('all came', () => seen.a.at(-1) === seq && seen.b.at(-1) === seq);
    for (const list of [seen.a, seen.b]) expect(list).toEqual(Array.from(list, (_, index) => (list[0] ?? 0) + index));
    await Promise.all([a.close(), b.close()]);
  });

  it('of which some are lost while Redis is away harm nobody, and closing ends', async () => {
    const live = new LiveEvents({ redisUrl: 'redis://127.0.0.1:9', prefix: 'away', log: memoryLog() });
    live.subscribe(() => undefined);
    live.publish([event(randomUUID(), 1)]);
    await live.close();
  });
});
