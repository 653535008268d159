import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { startRedis, type EmbeddedServer } from '@pilothouse/infra-embedded';
import { until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../../testing/test-api.fixture.ts';

/** A separate Redis with two replicas: one writes events, the other one streams them. */
let dir: string;
let redis: EmbeddedServer;
let writing: TestApi;
let reading: TestApi;

const openRedis = (port = 0) => startRedis({ dir, port, password: 'spec', appendonly: false, log: () => undefined });

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pilothouse-follow-'));
  redis = await openRedis();
  writing = await startApi({ redisUrl: redis.url });
  const { databaseUrl, redisPrefix, bootstrapAdminKey } = writing.context.config;
  reading = await startApi({ databaseUrl, redisPrefix, bootstrapAdminKey, redisUrl: redis.url });
}, 60_000);
afterAll(async () => {
  await reading?.close();
  await writing?.close();
  await redis?.stop();
  await rm(dir, { recursive: true, force: true });
});

const appendEvents = async (run: string, count: number) => {
  const draft = (n: number) => createEvent('run.log', `Line ${n}`, { facts: { n } }, new Date());
  const events = Array.from({ length: count }, (_, n) => draft(n));
  await writing.lifecycle.writer.write({ run, guard: { from: ['running'] }, events });
};

/** Reads the events of a run from the first one. */
const follow = async (run: string) => {
  const answer = await reading.fetch('GET', `/v1/runs/${run}/events`, { headers: { accept: 'text/event-stream' } });
  expect(answer.status).toBe(200);
  const decoder = new TextDecoder();
  let text = '';
  const completed = (async () => {
    for await (const chunk of answer.body as ReadableStream<Uint8Array>)
      text += decoder.decode(chunk, { stream: true });
    return text;
  })();
  // Only a waiting reader may be notified from here on.
  completed.catch(() => undefined);
  return { whole: completed, numbers: () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)) };
};

/** Waits until events of a run arrive through Redis, the only channel to the other replica. @returns number of its last event */
const comesByRedis = async (run: string, lastSeq: number) => {
  let last = lastSeq;
  const streams = new Set<string>();
  const stop = reading.lifecycle.liveEvents.subscribe((events) => events.forEach((event) => streams.add(event.run)));
  try {
    // The first ones may be published before the subscription.
    await until('events arrive through Redis', async () => {
      await appendEvents(run, 1);
      last += 1;
      return streams.has(run);
    });
    return last;
  } finally {
    stop();
  }
};

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

const outages = {
  'is killed': {
    async disconnect() {
      process.kill(redis.identity.pid, 'SIGKILL');
      await redis.exited;
    },
    async reconnect() {
      const { port } = redis;
      redis = await openRedis(port);
      expect(redis.port).toBe(port);
    },
  },
  hangs: {
    disconnect: async () => void process.kill(redis.identity.pid, 'SIGSTOP'),
    reconnect: async () => void process.kill(redis.identity.pid, 'SIGCONT'),
  },
};

test.each(Object.entries(outages))(
  'old and new readers at another replica receive all events while Redis %s',
  async (_name, { disconnect, reconnect }) => {
    const { id: run } = (
      await writing.call<RunView>('POST', '/v1/runs', { body: { steps: [{ action: 'screenshot' }] } })
    ).body;
    await writing.startRun(run);
    const earlyFollower = await follow(run);
    await until('the stored events arrive', () => earlyFollower.numbers().includes(3));
    let last = await comesByRedis(run, 3);
    const hasLastEvent = ({ numbers }: typeof earlyFollower) => numbers().includes(last);
    const appendsMore = async () => {
      await appendEvents(run, 2);
      last += 2;
    };
    await until('the new events arrive', () => hasLastEvent(earlyFollower));
    await disconnect();
    let lateFollower: typeof earlyFollower;
    try {
      await appendsMore();
      await until('events arrive without Redis', () => hasLastEvent(earlyFollower));
      lateFollower = await follow(run);
      await until('the second follower has the stored events', () => hasLastEvent(lateFollower));
      await appendsMore();
      for (const reader of [earlyFollower, lateFollower])
        await until('both followers have the new events', () => hasLastEvent(reader));
    } finally {
      await reconnect();
    }
    await appendsMore();
    await writing.complete(run);
    for (const { whole: completed, numbers } of [earlyFollower, lateFollower]) {
      expect((await completed).endsWith('event: end\ndata: {}\n\n')).toBe(true);
      expect(numbers()).toEqual(upTo(last + 1));
    }
  },
);
