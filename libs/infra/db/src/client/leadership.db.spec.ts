import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { leaderSilenceMs, runAsLeader, terminateSilentLeader, tryLead, waitToLead } from './leadership.ts';
import { createPool, type Pool } from './pg-pool.ts';

let database: TestDatabase;
/** The pools of two replicas. */
let first: Pool;
let second: Pool;

beforeAll(async () => {
  database = await createDatabase();
  [first, second] = ['first', 'second'].map((name) =>
    createPool({ databaseUrl: database.url, name, log: memoryLog() }),
  ) as [Pool, Pool];
});
afterAll(async () => {
  await Promise.all([first.end(), second.end()]);
  await database.drop();
});

test('one process leads, and another one as soon as it releases', async () => {
  const session = await tryLead(first, 'retention');
  expect(await tryLead(second, 'retention')).toBeNull();
  expect(await runAsLeader(second, 'retention', async () => 'work')).toBeNull();
  expect(await runAsLeader(second, 'proposals', async () => 'work')).toBe('work');
  await session?.release();
  expect(await runAsLeader(second, 'retention', async () => 'work')).toBe('work');
  expect(await runAsLeader(first, 'retention', async () => 'work')).toBe('work');
});

test('a failure of the work ends the leadership', async () => {
  await expect(runAsLeader(first, 'proposals', () => Promise.reject(new Error('Broken')))).rejects.toThrow('Broken');
  expect(await runAsLeader(second, 'proposals', async () => 'work')).toBe('work');
});

test('a waiting process leads after the leader, unless its signal aborts', async () => {
  const leader = await tryLead(first, 'fleetController');
  const stop = new AbortController();
  const stopped = waitToLead(second, 'fleetController', { signal: stop.signal, retryMs: 60_000 });
  stop.abort(new Error('Stopped'));
  await expect(stopped).rejects.toThrow('Stopped');
  const waiting = waitToLead(second, 'fleetController', { signal: new AbortController().signal, retryMs: 20 });
  await leader?.release();
  const next = await waiting;
  expect(await tryLead(first, 'fleetController')).toBeNull();
  await next.release();
});

test('a leader is terminated only when its connection is silent, and notices it', async () => {
  const leader = await tryLead(first, 'sweeper');
  expect(await leaderSilenceMs(second, 'sweeper')).toBeNull();
  expect(await terminateSilentLeader(second, 'sweeper', 60_000)).toBe(false);
  expect(leader?.lossSignal.aborted).toBe(false);
  await until('it is silent', () => terminateSilentLeader(second, 'sweeper', 50));
  await until('it notices', () => leader?.lossSignal.aborted === true);
  await leader?.release();
  const next = await waitToLead(second, 'sweeper', { signal: new AbortController().signal, retryMs: 20 });
  await next.release();
});
