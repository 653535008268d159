import { randomUUID } from 'node:crypto';
import { createEvent, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { startTcpProxy } from '@pilothouse/testing/tcp-proxy';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { LiveEventStream } from './live-event-stream.ts';

const redisUrl = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
const event = (run: string, seq: number): RunEvent => ({
  ...createEvent('run.log', `event ${seq}`, { facts: {} }, new Date(0)),
  run,
  seq,
  epoch: 1,
});

describe('live events', () => {
  it('reach every replica once and in order, from the moment it listens', async () => {
    const prefix = `t${randomUUID()}`;
    const [a, b] = [1, 2].map(() => new LiveEventStream({ redisUrl, prefix, log: memoryLog() })) as [
      LiveEventStream,
      LiveEventStream,
    ];
    const run = randomUUID();
    const receivedSequences = { a: [] as number[], b: [] as number[] };
    a.subscribe((events) => receivedSequences.a.push(...events.map(({ seq }) => seq)));
    b.subscribe((events) => receivedSequences.b.push(...events.map(({ seq }) => seq)));
    // The first ones may be published before the readers subscribe.
    let seq = 0;
    await until('both listen', () => {
      a.publish([event(run, ++seq)]);
      return receivedSequences.a.length > 0 && receivedSequences.b.length > 0;
    });
    const last = seq + 100;
    while (seq < last) a.publish([event(run, ++seq), event(run, ++seq)]);
    await until('all have arrived', () => receivedSequences.a.at(-1) === seq && receivedSequences.b.at(-1) === seq);
    for (const list of [receivedSequences.a, receivedSequences.b])
      expect(list).toEqual(Array.from(list, (_, index) => (list[0] ?? 0) + index));
    await Promise.all([a.close(), b.close()]);
  });

  it('beyond the in-flight limit are dropped and counted while Redis hangs, and arrive again once it responds', async () => {
    const prefix = `t${randomUUID()}`;
    const wire = await startTcpProxy(redisUrl);
    const text = JSON.stringify([event(randomUUID(), 1)]);
    let dropped = 0;
    const a = new LiveEventStream({
      redisUrl: wire.url,
      prefix,
      log: memoryLog(),
      maxBytes: 10 * text.length,
      onDropped: (events) => (dropped += events),
    });
    const b = new LiveEventStream({ redisUrl, prefix, log: memoryLog() });
    const receivedSequences = { a: [] as number[], b: [] as number[] };
    a.subscribe((events) => receivedSequences.a.push(...events.map(({ seq }) => seq)));
    b.subscribe((events) => receivedSequences.b.push(...events.map(({ seq }) => seq)));
    const run = randomUUID();
    let seq = 0;
    const comes = (title: string) =>
      until(title, () => {
        a.publish([event(run, ++seq)]);
        return receivedSequences.b.includes(seq - 1);
      });
    await comes('both listen');
    await until('all have arrived', () => receivedSequences.b.at(-1) === seq);
    dropped = 0;
    wire.hang();
    const lastSeq = seq;
    for (let n = 0; n < 100; n++) a.publish([event(run, ++seq)]);
    // They are published here as well.
    expect(receivedSequences.a.at(-1)).toBe(seq);
    await until('events beyond the limit are dropped', () => dropped > 0);
    const remaining = 100 - dropped;
    expect(remaining).toBeGreaterThan(0);
    expect(remaining).toBeLessThanOrEqual(10);
    await until('the in-flight events are dropped', () => dropped === 100);
    wire.flow();
    await comes('it resumes');
    expect(
      receivedSequences.b.filter((received) => received > lastSeq + remaining && received <= lastSeq + 100),
    ).toEqual([]);
    await Promise.all([a.close(), b.close()]);
    await wire.close();
  });

  it('are lost without an error while Redis is unavailable, and closing ends', async () => {
    const live = new LiveEventStream({ redisUrl: 'redis://127.0.0.1:9', prefix: 'away', log: memoryLog() });
    live.subscribe(() => undefined);
    live.publish([event(randomUUID(), 1)]);
    await live.close();
  });
});
