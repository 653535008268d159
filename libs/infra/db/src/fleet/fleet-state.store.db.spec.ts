import { randomUUID } from 'node:crypto';
import { WORKER_PROTOCOL } from '@pilothouse/contract/worker/assignment.schema';
import { createPool, type Pool } from '../client/pg-pool.ts';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { RunWriter } from '../run/run-writer.ts';
import { WorkerSessionStore } from './worker-session.store.ts';
import { createFleetState } from './fleet-state.store.ts';

const context = { signal: AbortSignal.timeout(60_000), deadline: Infinity, log: memoryLog() };

describe('the state of fleets in PostgreSQL', () => {
  let database: TestDatabase;
  let pool: Pool;
  const fleet = randomUUID();
  const project = randomUUID();
  const worker = { id: randomUUID(), session: randomUUID() };

  const w1 = { fleet: 'browser', name: 'w1' };

  const addRun = async (status: string, id = randomUUID()) => {
    await pool.query(
      `INSERT INTO run (id, project_id, fleet_id, workflow_name, surface, definition, step_count, inputs, budget, capture, labels, status)
       VALUES ($1, $2, $3, 'x', 'browser', '{}', 1, '{}', '{}', '{}', '{}', $4)`,
      [id, project, fleet, status],
    );
    return id;
  };

  beforeAll(async () => {
    database = await createDatabase();
    pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
    await pool.query(`INSERT INTO project (id, slug, name) VALUES ($1, 'default', 'Default')`, [project]);
    await pool.query(
      `INSERT INTO fleet (id, name, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds, projects) VALUES ($1, 'browser', 'browser', 2, 0, 3, 1, 60, '{}')`,
      [fleet],
    );
    await pool.query(
      `INSERT INTO worker (id, fleet_id, name, incarnation, session, state, version, host, pid, slots, idle_since) VALUES ($1, $2, 'w1', $3, $4, 'ready', '1', 'h', 1, 2, now())`,
      [worker.id, fleet, randomUUID(), worker.session],
    );
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('counts waiting runs, except those held back by a project limit', async () => {
    await addRun('queued');
    await addRun('queued');
    await addRun('running');
    const state = createFleetState(pool);
    expect((await state.observe(context))[0]).toMatchObject({
      fleet: 'browser',
      waiting: 2,
      workers: [{ name: 'w1', busy: 0, drainingSince: null }],
    });
    await pool.query('UPDATE project SET max_concurrent_runs = 2');
    expect((await state.observe(context))[0]?.waiting).toBe(1);
    await pool.query('UPDATE project SET max_concurrent_runs = NULL');
  });

  it('marks only an idle worker as draining', async () => {
    const state = createFleetState(pool);
    const run = await addRun('running');
    await pool.query(
      `INSERT INTO lease (run_id, epoch, session, claimed_at, expires_at) VALUES ($1, 1, $2, now(), now() + interval '1 minute')`,
      [run, worker.session],
    );
    expect(await state.markDraining(w1, 'cooldown', context)).toBe('holds-run');
    expect((await state.observe(context))[0]?.workers[0]).toMatchObject({ state: 'ready', busy: 1, idleSince: null });
    await pool.query('DELETE FROM lease');
    expect(await state.markDraining(w1, 'cooldown', context)).toBe('marked');
    const drained = (await state.observe(context))[0]?.workers[0];
    expect(drained).toMatchObject({ state: 'draining', busy: 0 });
    expect(drained?.drainingSince).toEqual(expect.any(Number));
    expect(await state.markDraining({ ...w1, name: 'w9' }, 'cooldown', context)).toBe('unknown');
    expect(await state.markDraining({ ...w1, fleet: 'other' }, 'cooldown', context)).toBe('unknown');
  });

  it('marks a worker or lets it claim a run, never both', async () => {
    const state = createFleetState(pool);
    const writer = new RunWriter({ pool });
    const claimResults = [];
    for (let turn = 0; turn < 60; turn += 1) {
      await pool.query(`UPDATE worker SET drain_requested_at = NULL, state = 'ready'`);
      const run = await addRun('queued');
      const claim = { session: worker.session, worker: 'w1', leaseMs: 60_000, at: new Date().toISOString() };
      // Alternates a head start of a few milliseconds, so that each side sometimes wins.
      const start = (remainder: number) =>
        turn % 3 === remainder ? pool.query('SELECT pg_sleep(0.002)') : Promise.resolve();
      const [claimedRun, marked] = await Promise.all([
        start(0).then(() => writer.write({ run, guard: { from: ['queued'] }, to: 'running', claim })),
        start(1).then(() => state.markDraining(w1, 'cooldown', context)),
      ]);
      expect({ turn, marked }).toEqual({ turn, marked: claimedRun ? 'holds-run' : 'marked' });
      claimResults.push(claimedRun !== null);
      await pool.query('DELETE FROM lease');
    }
    expect(new Set(claimResults)).toEqual(new Set([true, false]));
  });

  it('blocks a worker that never joined: it gets no run if it joins later', async () => {
    const state = createFleetState(pool);
    const sessions = new WorkerSessionStore(pool);
    const worker = { fleet: 'browser', name: 'late' };
    const joins = (name: string) =>
      sessions.open({
        fleet: { id: fleet, slots: 2 },
        hello: {
          type: 'hello',
          protocol: WORKER_PROTOCOL,
          worker: {
            name,
            incarnation: randomUUID(),
            surface: 'browser',
            slots: 1,
            version: '1',
            host: 'h',
            pid: 1,
          },
          attempts: [],
        },
        ids: { workerId: randomUUID(), session: randomUUID() },
      });
    expect(await state.blockWorker(worker, 'start-timeout', context)).toBe('barred');
    const { session } = await joins('late');
    const claim = { session, worker: 'late', leaseMs: 60_000, at: new Date().toISOString() };
    const run = await addRun('queued');
    const write = { run, guard: { from: ['queued'] as const }, to: 'running' as const, claim };
    expect(await new RunWriter({ pool }).write(write)).toBeNull();
    // Alternates a head start of a few milliseconds; a worker that joined before the block is marked.
    for (let turn = 0; turn < 30; turn += 1) {
      const name = `w-${turn}`;
      const first = turn % 2 === 0 ? pool.query('SELECT 1') : undefined;
      const [session] = await Promise.all([
        joins(name),
        Promise.resolve(first).then(() => state.blockWorker({ fleet: 'browser', name }, 'start-timeout', context)),
      ]);
      const { rows } = await pool.query(
        'SELECT drain_requested_at IS NOT NULL AS drains FROM worker WHERE session = $1',
        [session.session],
      );
      expect({ turn, rows }).toEqual({ turn, rows: [{ drains: true }] });
    }
  });

  it('rejects a claim that waited for the mark of its worker', async () => {
    const writer = new RunWriter({ pool });
    const run = await addRun('queued');
    await pool.query(`UPDATE worker SET drain_requested_at = NULL, state = 'ready'`);
    const marking = await pool.connect();
    try {
      await marking.query('BEGIN');
      await marking.query('SELECT FROM worker WHERE session = $1 FOR UPDATE', [worker.session]);
      const claim = { session: worker.session, worker: 'w1', leaseMs: 60_000, at: new Date().toISOString() };
      const write = writer.write({ run, guard: { from: ['queued'] }, to: 'running', claim });
      await until('the claim waits', async () => {
        const { rows } = await pool.query(
          `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
        );
        return rows.length === 1;
      });
      await marking.query('UPDATE worker SET drain_requested_at = now() WHERE session = $1', [worker.session]);
      await marking.query('COMMIT');
      expect(await write).toBeNull();
    } finally {
      marking.release();
    }
    expect((await pool.query('SELECT status, epoch FROM run WHERE id = $1', [run])).rows).toEqual([
      { status: 'queued', epoch: 0 },
    ]);
    expect((await pool.query('SELECT FROM lease')).rows).toEqual([]);
  });

  it('lets one controller lead at a time, and the next one after it leaves', async () => {
    const state = createFleetState(pool);
    const first = await state.lead(context.signal);
    let second = false;
    const waiting = state.lead(context.signal).then((lead) => {
      second = true;
      return lead;
    });
    await expect(state.lead(AbortSignal.timeout(200))).rejects.toThrow();
    expect(second).toBe(false);
    await first.release();
    await (await waiting).release();
  });

  it('notifies a controller of a broken connection at once', async () => {
    const state = createFleetState(pool);
    const lead = await state.lead(context.signal);
    // The server also has databases of other specs, with their controllers.
    await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7447002
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    await until('the lead is lost', () => lead.lossSignal.aborted);
    await lead.release();
  });

  it('stores decisions with their reasons', async () => {
    const state = createFleetState(pool);
    await state.recordDecision(
      { fleet: 'browser', decision: { action: 'create', count: 1, reason: 'waiting' }, workers: ['w2'], error: null },
      context,
    );
    const { rows } = await pool.query('SELECT action, reason, workers, error FROM fleet_decision');
    expect(rows).toEqual([{ action: 'create', reason: 'waiting', workers: ['w2'], error: null }]);
  });

  it('stores problems of a fleet, one row per reason, until they are over', async () => {
    const state = createFleetState(pool);
    const conditions = async () => (await state.observe(context))[0]?.conditions ?? [];
    const rows = async () =>
      (await pool.query('SELECT reason, message, count FROM fleet_condition ORDER BY reason')).rows;
    expect(await conditions()).toEqual([]);
    await state.recordConditions('browser', [{ reason: 'Unschedulable', message: 'no room', times: 2 }], context);
    const [first] = await conditions();
    expect(first).toEqual({ reason: 'Unschedulable', message: 'no room', lastSeenAt: expect.any(Number) });
    await state.recordConditions(
      'browser',
      [
        { reason: 'Unschedulable', message: 'still no room', times: 0 },
        { reason: 'OutOfMemory', message: 'w1 took too much', times: 1 },
      ],
      context,
    );
    expect(await rows()).toEqual([
      { reason: 'OutOfMemory', message: 'w1 took too much', count: 1 },
      { reason: 'Unschedulable', message: 'still no room', count: 2 },
    ]);
    // Seen again since, so it remains.
    await state.clearConditions('browser', ['Unschedulable'], (first?.lastSeenAt ?? 0) - 1, context);
    expect(await conditions()).toHaveLength(2);
    await state.clearConditions('browser', ['Unschedulable'], Date.now() + 60_000, context);
    expect(await rows()).toEqual([{ reason: 'OutOfMemory', message: 'w1 took too much', count: 1 }]);
  });
});
