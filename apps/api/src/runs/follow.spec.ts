import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeEvent, type RunView } from '@pilothouse/contract';
import { startRedis, type Embedded } from '@pilothouse/infra-embedded';
import { until } from '@pilothouse/testing';
import { startApi, type TestApi } from '../testing/api.fixture.ts';

/** A Redis of the spec's own, and two replicas on it: what happens is written at one, followed at the other. */
let dir: string;
let redis: Embedded;
let writing: TestApi;
let reading: TestApi;

const openRedis = (port = 0) => startRedis({ dir, port, password: 'spec', appendonly: false, log: () => undefined });

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pilothouse-follow-'));
  redis = await openRedis();
  writing = await startApi({ redisUrl: redis.url });
  const { databaseUrl, redisPrefix } = writing.house.config;
  reading = await startApi({ databaseUrl, redisPrefix, redisUrl: redis.url });
}, 60_000);
afterAll(async () => {
  await reading?.close();
  await writing?.close();
  await redis?.stop();
  await rm(dir, { recursive: true, force: true });
});

const say = async (run: string, count: number) => {
  const draft = (n: number) => makeEvent('log', `Line ${n}`, { facts: { n } }, new Date());
  const events = Array.from({ length: count }, (_, n) => draft(n));
  await writing.house.way.writer.write({ run, guard: { from: ['running'] }, events });
};

/** A reader of a run's events from the first on. */
const follow = async (run: string) => {
  const answer = await reading.fetch('GET', `/v1/runs/${run}/events`, { headers: { accept: 'text/event-stream' } });
  expect(answer.status).toBe(200);
  const decoder = new TextDecoder();
  let text = '';
  const whole = (async () => {
    for await (const chunk of answer.body as ReadableStream<Uint8Array>)
      text += decoder.decode(chunk, { stream: true });
    return text;
  })();
  return { whole, numbers: () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)) };
};

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

const ways = {
  'is killed': {
    async leave() {
      process.kill(redis.mark.pid, 'SIGKILL');
      await redis.exited;
    },
    async comeBack() {
      const { port } = redis;
      redis = await openRedis(port);
      expect(redis.port).toBe(port);
    },
  },
  hangs: {
    leave: async () => void process.kill(redis.mark.pid, 'SIGSTOP'),
    comeBack: async () => void process.kill(redis.mark.pid, 'SIGCONT'),
  },
};

test.each(Object.entries(ways))(
  'a reader at another replica is told all while Redis %s, and so is one that comes then',
  async (_name, { leave, comeBack }) => {
    const { id: run } = (
      await writing.call<RunView>('POST', '/v1/runs', { body: { steps: [{ action: 'screenshot' }] } })
    ).body;
    await writing.take(run);
    const early = await follow(run);
    await until('it is told what was', () => early.numbers().includes(3));
    await say(run, 2);
    await until('it is told what comes', () => early.numbers().includes(5));
    await leave();
    let late: typeof early;
    try {
      await say(run, 2);
      await until('it is told without Redis', () => early.numbers().includes(7));
      late = await follow(run);
      await until('the other is told what was', () => late.numbers().includes(7));
      await say(run, 2);
      for (const { numbers } of [early, late]) await until('both are told what comes', () => numbers().includes(9));
    } finally {
      await comeBack();
    }
    await say(run, 2);
    await writing.complete(run);
    for (const { whole, numbers } of [early, late]) {
      expect((await whole).endsWith('event: end\ndata: {}\n\n')).toBe(true);
      expect(numbers()).toEqual(upTo(12));
    }
  },
);
