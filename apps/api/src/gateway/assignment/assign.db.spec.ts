import { randomUUID } from 'node:crypto';
import { admitRuns, createFleetState, RunInserter, type NewRun } from '@pilothouse/infra-db';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';

describe('run assignment', () => {
  const harness = useGatewayHarness();
  const { worker, submit, newRun, whenStatus } = harness;

  it('recreates the jobs of runs after Redis lost them', async () => {
    const runs = [await submit(), await submit(), await submit()];
    const { Redis } = await import('ioredis');
    const redis = new Redis(harness.redisUrl);
    const keys = await redis.keys(`${harness.prefix}:*`);
    expect(keys.length).toBeGreaterThan(0);
    await redis.del(keys);
    redis.disconnect();
    const w = worker(3);
    await w.connect();
    for (const run of runs) await w.acceptAssignment(run);
    for (const run of runs) await whenStatus(run, 'running');
  });

  it('contains the notes of the project for agents', async () => {
    const notes = [{ app: 'mousepad', text: 'Control+S saves' }];
    const setAgents = (agents: object | null) =>
      harness.pool.query('UPDATE project SET agents = $2 WHERE id = $1', [
        harness.project,
        agents && JSON.stringify(agents),
      ]);
    const w = worker(2);
    await w.connect();
    const notesOf = async (run: string) => {
      await w.acceptAssignment(run);
      const assigned = w.received.flatMap((message) => (message.type === 'assign' ? [message.assignment] : []));
      return assigned.find((assignment) => assignment.run === run)?.agentNotes;
    };
    expect(await notesOf(await submit())).toEqual([]);
    await setAgents({ actionCache: 'never', notes });
    expect(await notesOf(await submit())).toEqual(notes);
    await setAgents(null);
  });

  it('assigns no more runs than the reported free slots', async () => {
    const w = worker(2);
    await w.connect();
    const runs = await Promise.all(Array.from({ length: 5 }, () => submit()));
    await until('two are assigned', () => w.received.filter(({ type }) => type === 'assign').length === 2);
    const { rows } = await harness.pool.query<{ status: string; count: number }>(
      'SELECT status, count(*) FROM run WHERE id = ANY ($1) GROUP BY status ORDER BY status',
      [runs],
    );
    expect(rows).toEqual([
      { status: 'queued', count: 3 },
      { status: 'running', count: 2 },
    ]);
  });

  it('accounts for assignments that the worker had not seen when it reported its slots', async () => {
    const w = worker(4);
    await w.connect([], 2);
    const runs = await Promise.all([submit(), submit()]);
    await until('both are assigned', () => w.received.filter(({ type }) => type === 'assign').length === 2);
    // Reported before they arrived: the two slots are no longer free.
    w.send({ type: 'ready', freeSlots: 2, assignmentsReceived: 0 });
    await submit();
    w.send({ type: 'renew', sentAt: 1, attempts: runs.map((run) => ({ run, epoch: 1 })) });
    await w.waitFor('renew.ack');
    expect(w.received.filter(({ type }) => type === 'assign')).toHaveLength(2);
    w.send({ type: 'ready', freeSlots: 1, assignmentsReceived: 2 });
    await until('the third is assigned', () => w.received.filter(({ type }) => type === 'assign').length === 3);
  });

  it('assigns nothing to a worker that was marked as draining since its last renewal', async () => {
    const [leaving, staying] = [worker(2), worker()];
    await leaving.connect();
    await staying.connect();
    const context = { signal: AbortSignal.timeout(10_000), deadline: Infinity, log: memoryLog() };
    const workerKey = { fleet: harness.fleet.name, name: leaving.name };
    expect(await createFleetState(harness.pool).markDraining(workerKey, 'cooldown', context)).toBe('marked');
    // The gateway does not know it yet, and offers the run to the worker with more free slots.
    const run = await submit();
    await staying.acceptAssignment(run);
    expect(await harness.statusOf(run)).toMatchObject({ status: 'running', epoch: 1 });
    expect(leaving.received.filter(({ type }) => type === 'assign')).toEqual([]);
  });

  it('prefers higher priority and alternates between projects', async () => {
    await harness.lifecycle.sweeper.stop(); // It would admit them all, into a larger window.
    const otherProject = randomUUID();
    await harness.pool.query('INSERT INTO project (id, slug, name) VALUES ($1, $2, $2)', [
      otherProject,
      `p-${otherProject.slice(0, 8)}`,
    ]);
    // Submitted with a window of zero, bypassing the lifecycle, which would admit them in the background.
    const intake = new RunInserter(harness.pool, 0);
    const wait = async (fields: Partial<NewRun> = {}) => (await intake.submit(newRun(fields))).run;
    for (let index = 0; index < 6; index += 1) await wait();
    const urgent = await wait({ priority: 10 });
    const waitingRun = await wait({ project: otherProject });
    const first = await admitRuns(harness.pool, harness.fleet.id, 2);
    expect(first.map(({ run }) => run).sort()).toEqual([urgent, waitingRun].sort());
  });
});
