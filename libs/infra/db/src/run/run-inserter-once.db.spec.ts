import { randomUUID } from 'node:crypto';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import { startTcpProxy, type TcpProxy } from '@pilothouse/testing/tcp-proxy';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { IdempotencyStore, type IdempotencyClaim } from './idempotency.store.ts';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { isDatabaseUnavailable } from '../client/database-availability.ts';
import { RunInserter, type NewRun } from './run-inserter.ts';

const HASH = 'a'.repeat(64);

describe('an Idempotency-Key', () => {
  let database: TestDatabase;
  let wire: TcpProxy;
  let pool: Pool;
  let store: IdempotencyStore;
  let sizes: number[];
  let intake: RunInserter;
  const [project, fleet] = [randomUUID(), randomUUID()];

  beforeAll(async () => {
    database = await createDatabase();
    wire = await startTcpProxy(database.url);
    pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
    store = new IdempotencyStore(pool);
    await pool.query(`INSERT INTO project (id, slug, name) VALUES ($1, 'default', 'Default')`, [project]);
    await pool.query(
      `INSERT INTO fleet (id, name, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds, projects) VALUES ($1, 'browser', 'browser', 2, 0, 3, 1, 60, '{}')`,
      [fleet],
    );
  });
  beforeEach(() => {
    sizes = [];
    intake = new RunInserter(pool, 10, (size) => sizes.push(size));
  });
  afterEach(() => wire.flow());
  afterAll(async () => {
    await wire.close();
    await pool.end();
    await database.drop();
  });

  const newRun = (idempotency: IdempotencyClaim | null = null): NewRun => ({
    ...{
      id: randomUUID(),
      project,
      fleet,
      workflow: null,
      workflowName: 'x',
      goal: null,
      surface: 'browser',
      definition: {},
    },
    ...{ stepCount: 1, inputs: {}, secretNames: [], secrets: null, priority: 0, budget: {}, capture: {}, egress: null },
    origin: { kind: 'api', actor: null, idempotencyKey: idempotency?.key ?? null },
    parentRunId: null,
    ...{ labels: {}, model: null, expiresIn: null, firstIntent: null, idempotency },
    event: createEvent('run.queued', 'Queued', { fleet: 'browser', priority: 0, retryOf: null }, new Date()),
  });

  async function claimKey(key: string): Promise<IdempotencyClaim> {
    const result = await store.claim(project, key, HASH);
    if (result.state !== 'new') throw new Error(`The key is ${result.state}`);
    return result.claim;
  }

  const abandon = (key: string) =>
    pool.query(`UPDATE idempotency_key SET created_at = now() - interval '3 minutes' WHERE key = $1`, [key]);

  /** Returns the runs that left any data. */
  async function storedRuns(...runs: readonly NewRun[]): Promise<string[]> {
    const { rows } = await pool.query<{ id: string }>(
      'SELECT id FROM run WHERE id = ANY($1) UNION SELECT run_id FROM run_event WHERE run_id = ANY($1)',
      [runs.map(({ id }) => id)],
    );
    const ids = rows.map(({ id }) => id);
    return runs.map(({ id }) => id).filter((id) => ids.includes(id));
  }

  const waiting = (sessions: number) =>
    until('they wait', async () => {
      const { rowCount } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rowCount === sessions;
    });

  const lost = { code: 'IDEMPOTENCY_IN_FLIGHT' };

  it.each(['before', 'after'])(
    'stores no run of a request that lost its key to another one, and is written %s it; others in its batch are stored',
    async (when) => {
      const key = randomUUID();
      const expired = newRun(await claimKey(key));
      await abandon(key);
      const taker = newRun(await claimKey(key));
      const [plain, claimedRun] = [newRun(), newRun(await claimKey(randomUUID()))];
      if (when === 'after') await intake.submit(taker);
      const batch = [plain, expired, claimedRun].map((run) => intake.submit(run));
      expect(await Promise.allSettled(batch)).toMatchObject([
        { value: { run: plain.id } },
        { reason: lost },
        { value: { run: claimedRun.id } },
      ]);
      expect(sizes.at(-1)).toBe(3);
      if (when === 'before') await intake.submit(taker);
      expect(await storedRuns(expired, taker, plain, claimedRun)).toEqual([taker.id, plain.id, claimedRun.id]);
      expect(await store.read(project, key, HASH)).toEqual({ state: 'done', run: taker.id });
    },
  );

  it('stores no run of an abandoned submit that arrives after the release of its key', async () => {
    const far = createPool({ databaseUrl: wire.url, name: 'far', max: 1, answerMs: 300, log: memoryLog() });
    await far.query('SELECT 1');
    const key = randomUUID();
    const claim = await claimKey(key);
    const [plain, first] = [newRun(), newRun(claim)];
    const remote = new RunInserter(far, 10);
    wire.hang();
    const [, result] = await Promise.allSettled([remote.submit(plain), remote.submit(first)]);
    expect(isDatabaseUnavailable((result as PromiseRejectedResult).reason)).toBe(true);
    await store.release(project, claim);
    const retried = newRun(await claimKey(key));
    wire.flow();
    // A later request proves that the server has reached the statement.
    await until('the statement has arrived', async () => (await storedRuns(plain)).length === 1);
    await intake.submit(retried);
    expect(await storedRuns(first, retried)).toEqual([retried.id]);
    expect(await store.read(project, key, HASH)).toEqual({ state: 'done', run: retried.id });
    await far.end();
  });

  it.each(['before', 'after'])(
    'stores no run of a request that comes %s one of the previous version, which took its key without a token',
    async (when) => {
      const key = randomUUID();
      const claim = await claimKey(key);
      const [expired, former] = [newRun(claim), newRun()];
      // It took the key two minutes later: now() may be the millisecond of the first one.
      await pool.query(
        `UPDATE idempotency_key SET run_id = NULL, created_at = $2::timestamptz + interval '2 minutes' WHERE key = $1`,
        [key, claim.takenAt],
      );
      const submitFormer = async () => {
        await intake.submit(former);
        await pool.query('UPDATE idempotency_key SET run_id = $2 WHERE key = $1', [key, former.id]);
      };
      if (when === 'after') await submitFormer();
      await expect(intake.submit(expired)).rejects.toMatchObject(lost);
      await store.release(project, claim);
      if (when === 'before') await submitFormer();
      expect(await storedRuns(expired, former)).toEqual([former.id]);
      expect(await store.read(project, key, HASH)).toEqual({ state: 'done', run: former.id });
    },
  );

  it('stores no run of a request that released its key, even if another one takes it in the same millisecond', async () => {
    const key = randomUUID();
    const claim = await claimKey(key);
    await store.release(project, claim);
    const holder = newRun({ ...(await claimKey(key)), takenAt: claim.takenAt });
    await pool.query('UPDATE idempotency_key SET created_at = $2 WHERE key = $1', [key, claim.takenAt]);
    await expect(intake.submit(newRun(claim))).rejects.toMatchObject(lost);
    await store.release(project, claim);
    await expect(intake.submit(holder)).resolves.toMatchObject({ run: holder.id });
  });

  it('is released only by the request that holds it', async () => {
    const key = randomUUID();
    const claim = await claimKey(key);
    await abandon(key);
    const holder = newRun(await claimKey(key));
    await store.release(project, claim);
    expect(await store.read(project, key, HASH)).toEqual({ state: 'in-flight' });
    await expect(intake.submit(holder)).resolves.toMatchObject({ run: holder.id });
  });

  it.each([
    ['the submit', 'done'],
    ['the release', null],
  ])(
    'is either used or released when submit and release come at once, and %s has the key first',
    async (first, state) => {
      const key = randomUUID();
      const claim = await claimKey(key);
      const run = newRun(claim);
      const keeper = await pool.connect();
      await keeper.query('BEGIN');
      await keeper.query('SELECT FROM idempotency_key WHERE key = $1 FOR UPDATE', [key]);
      const submit = () => intake.submit(run).catch((error: unknown) => error);
      const release = () => store.release(project, claim);
      const [firstAction, second] = first === 'the submit' ? [submit, release] : [release, submit];
      const pending = [firstAction()];
      await waiting(1);
      pending.push(second());
      await waiting(2);
      await keeper.query('COMMIT');
      keeper.release();
      const outcomes = await Promise.all(pending);
      expect(outcomes).toContainEqual(expect.objectContaining(state === 'done' ? { run: run.id } : lost));
      expect(await storedRuns(run)).toEqual(state === 'done' ? [run.id] : []);
      expect(await store.read(project, key, HASH)).toEqual(state === 'done' ? { state, run: run.id } : null);
    },
  );
});
