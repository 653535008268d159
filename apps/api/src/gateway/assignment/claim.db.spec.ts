import { randomUUID } from 'node:crypto';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { firstStepIntent } from '@pilothouse/core/run/step-intent';
import {
  createFleetState,
  createStores,
  RunInserter,
  RunWriter,
  type NewRun,
  type SlotClaim,
} from '@pilothouse/infra-db';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { LEASE_MS, useGatewayHarness } from '../../testing/gateway.fixture.ts';

describe('claims from the backlog', () => {
  const harness = useGatewayHarness();
  const { worker, newRun, statusOf, typesOf } = harness;
  let intake: RunInserter;
  let writer: RunWriter;
  let slot: SlotClaim;

  /** A run outside the window, which no dispatch job announces. */
  const wait = async (fields: Partial<NewRun> = {}) => (await intake.submit(newRun(fields))).run;
  const claim = (slots: number) => writer.claimNext(harness.fleet.id, Array<SlotClaim>(slots).fill(slot));
  const claimedRuns = async (slots: number) => (await claim(slots)).map(({ written }) => written.run);

  beforeEach(async () => {
    await harness.lifecycle.sweeper.stop(); // It would admit them all.
    intake = new RunInserter(harness.pool, 0);
    writer = new RunWriter({ pool: harness.pool });
    const w = worker();
    await w.connect([], 0);
    const { session } = await w.waitFor('welcome');
    const event = createEvent('run.assigned', 'Assigned', { worker: w.name, fleet: harness.fleet.name }, new Date());
    slot = { session, worker: w.name, leaseMs: LEASE_MS, event };
  });

  it('follow the fair order, one run per slot, each with its lease, events and first intent', async () => {
    const otherProject = randomUUID();
    await harness.pool.query('INSERT INTO project (id, slug, name) VALUES ($1, $2, $2)', [
      otherProject,
      `p-${otherProject.slice(0, 8)}`,
    ]);
    const definition = workflowDefinitionSchema.parse({ name: 'spec', steps: [{ action: 'press', key: 'Enter' }] });
    const firstIntent = firstStepIntent(definition, { run: 'spec', inputs: {}, secrets: [] });
    const waiting = [await wait(), await wait(), await wait()];
    const urgent = await wait({ priority: 10, definition, firstIntent });
    const waitingRun = await wait({ project: otherProject });

    const claims = await claim(2);
    expect(claims.map(({ slot }) => slot).toSorted()).toEqual([0, 1]);
    expect(claims.map(({ written }) => written.run).toSorted()).toEqual([urgent, waitingRun].toSorted());
    const first = claims.find(({ written }) => written.run === urgent)?.written;
    expect(first).toMatchObject({ status: 'running', oldStatus: 'queued', epoch: 1, attemptEventSeq: 1, eventSeq: 3 });
    expect(first?.claimed).toMatchObject({ definition, firstIntent, usedSteps: 0 });
    expect(first?.events.map(({ seq, type }) => `${seq} ${type}`)).toEqual(['2 run.assigned', '3 step.started']);
    expect(await typesOf(urgent)).toEqual(['1 run.queued', '2 run.assigned', '3 step.started']);
    expect(await typesOf(waitingRun)).toEqual(['1 run.queued', '2 run.assigned']);
    const { rows } = await harness.pool.query(
      `SELECT r.id, r.used_steps AS "usedSteps", r.first_intent AS "firstIntent", l.epoch, l.session, l.expires_at > now() AS held, s.status AS step
       FROM run r JOIN lease l ON l.run_id = r.id LEFT JOIN run_step s ON s.run_id = r.id
       WHERE r.status = 'running' ORDER BY r.priority DESC`,
    );
    const { session } = slot;
    expect(rows).toEqual([
      { id: urgent, usedSteps: 1, firstIntent: null, epoch: 1, session, held: true, step: 'running' },
      { id: waitingRun, usedSteps: 0, firstIntent: null, epoch: 1, session, held: true, step: null },
    ]);
    for (const run of waiting) expect(await statusOf(run)).toMatchObject({ status: 'queued', epoch: 0 });
  });

  it('respect the concurrency limit of a project', async () => {
    const { project } = newRun();
    await harness.pool.query('UPDATE project SET max_concurrent_runs = 2 WHERE id = $1', [project]);
    const runs = [await wait(), await wait(), await wait()];
    expect(runs).toEqual(expect.arrayContaining(await claimedRuns(3)));
    const { rows } = await harness.pool.query('SELECT count(*) AS held FROM lease');
    expect(rows).toEqual([{ held: 2 }]);
    expect(await claimedRuns(1)).toEqual([]);
  });

  it('respect it when several replicas claim for several fleets at once', async () => {
    const { project } = newRun();
    await harness.pool.query('UPDATE project SET max_concurrent_runs = 3 WHERE id = $1', [project]);
    const second = randomUUID();
    await harness.pool.query(
      `INSERT INTO fleet (id, name, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds)
       SELECT $1, $2, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds FROM fleet WHERE id = $3`,
      [second, `second-${second.slice(0, 8)}`, harness.fleet.id],
    );
    const fleets = [harness.fleet.id, second];
    for (const fleet of fleets) for (let n = 0; n < 6; n++) await wait({ fleet });
    const replicas = Array.from({ length: 6 }, () => new RunWriter({ pool: harness.pool }));
    const claimEverywhere = () =>
      Promise.all(replicas.map((replica, n) => replica.claimNext(fleets[n % 2] ?? '', [slot, slot])));
    // The second one claims nothing, and retries.
    let claimCount = 0;
    for (let round = 0; round < 5; round++) claimCount += (await claimEverywhere()).flat().length;
    expect(claimCount).toBe(3);
    const { rows } = await harness.pool.query('SELECT count(*) AS held FROM lease');
    expect(rows).toEqual([{ held: 3 }]);
  });

  it('skip a project with a limit while another replica claims from it', async () => {
    const { project } = newRun();
    await harness.pool.query('UPDATE project SET max_concurrent_runs = 1 WHERE id = $1', [project]);
    const run = await wait();
    const otherClient = await harness.pool.connect();
    try {
      await otherClient.query('BEGIN');
      await otherClient.query('UPDATE project SET claim_version = claim_version + 1 WHERE id = $1', [project]);
      expect(await claimedRuns(1)).toEqual([]);
      await otherClient.query('COMMIT');
    } finally {
      otherClient.release();
    }
    expect(await claimedRuns(1)).toEqual([run]);
  });

  it('are empty while the queue is paused, or for a draining worker', async () => {
    const run = await wait();
    await harness.pool.query('UPDATE fleet SET paused_at = now() WHERE id = $1', [harness.fleet.id]);
    expect(await claimedRuns(1)).toEqual([]);
    await harness.pool.query('UPDATE fleet SET paused_at = NULL WHERE id = $1', [harness.fleet.id]);
    const context = { signal: AbortSignal.timeout(10_000), deadline: Infinity, log: memoryLog() };
    const leaving = { fleet: harness.fleet.name, name: slot.worker };
    expect(await createFleetState(harness.pool).markDraining(leaving, 'cooldown', context)).toBe('marked');
    expect(await claimedRuns(1)).toEqual([]);
    const staying = worker();
    await staying.connect([], 0);
    const { session } = await staying.waitFor('welcome');
    // The slot of the draining worker stays free.
    const claims = await writer.claimNext(harness.fleet.id, [slot, { ...slot, session }]);
    expect(claims.map(({ slot, written }) => [slot, written.run])).toEqual([[1, run]]);
  });

  it('are empty for a cordoned worker on every claim path; it keeps its runs', async () => {
    const { fleets } = createStores(harness.pool);
    const cordon = async (is: boolean) => {
      const { rows } = await harness.pool.query<{ id: string }>('SELECT id FROM worker WHERE session = $1', [
        slot.session,
      ]);
      expect(await fleets.cordon(harness.fleet.id, rows[0]?.id ?? '', is, 'spec')).toBe(true);
    };
    const queuedRun = await wait();
    expect(await claimedRuns(1)).toEqual([queuedRun]);
    await cordon(true);
    const run = await wait();
    expect(await claimedRuns(1)).toEqual([]);
    const write = { run, guard: { from: ['queued' as const] }, to: 'running' as const };
    const claim = { session: slot.session, worker: slot.worker, leaseMs: LEASE_MS, at: new Date().toISOString() };
    expect(await writer.write({ ...write, claim, events: [slot.event] })).toBeNull();
    expect(await statusOf(queuedRun)).toMatchObject({ status: 'running' });
    await cordon(false);
    expect(await claimedRuns(1)).toEqual([run]);
  });

  it('return each run once, with any number of concurrent replicas', async () => {
    const runs = await Promise.all(Array.from({ length: 60 }, () => wait()));
    const got: string[] = [];
    while (got.length < runs.length) {
      const previousCount = got.length;
      const rounds = await Promise.all([claimedRuns(20), claimedRuns(20), claimedRuns(20)]);
      got.push(...rounds.flat());
      expect(got.length).toBeGreaterThan(previousCount);
    }
    expect(got.toSorted()).toEqual(runs.toSorted());
    const { rows } = await harness.pool.query('SELECT DISTINCT epoch, event_seq AS seq FROM run WHERE id = ANY ($1)', [
      runs,
    ]);
    expect(rows).toEqual([{ epoch: 1, seq: 2 }]);
  });
});
