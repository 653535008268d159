import { makeEvent, type ProposalView, type RunView, type WorkflowView } from '@pilothouse/contract';
import { IdempotencyStore } from '@pilothouse/infra-db';
import { until } from '@pilothouse/testing';
import { IdempotencyService } from '../runs/idempotency.service.ts';
import { startApi, type TestApi } from '../testing/api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const old = { role: 'button', name: 'Find' };

/** A workflow and a run of it at work, one step of which was healed. */
async function healing(name: string): Promise<{ workflow: WorkflowView; run: RunView }> {
  const steps = [{ id: 'find', action: 'click', target: old }];
  const body = { name, heal: 'on', steps };
  const { body: workflow } = await api.call<WorkflowView>('POST', '/v1/workflows?publish=true', { body });
  const { body: run } = await api.call<RunView>('POST', `/v1/workflows/${name}/runs`, { body: {} });
  await api.take(run.id);
  const healed = {
    step: 0,
    id: 'find',
    rung: 2,
    by: 'model',
    element: 'button',
    old: [old],
    locators: [{ css: '#find' }],
  };
  await api.house.way.writer.write({
    run: run.id,
    guard: { from: ['running'] },
    events: [makeEvent('step.healed', 'Healed', healed as never, new Date(), 'warn')],
  });
  return { workflow, run };
}

/** From now on PostgreSQL refuses new rows of a table. @returns what ends it */
async function refuse(table: string, code: string): Promise<() => Promise<unknown>> {
  const { pool } = api.house;
  await pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'Broken' USING ERRCODE = '${code}'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`);
  return () => pool.query('DROP FUNCTION refuse CASCADE');
}

const proposalsOf = async (workflow: string) =>
  (await api.call<{ items: ProposalView[] }>('GET', `/v1/proposals?workflow=${workflow}`)).body.items;

test('what fails for a reason that nobody knows is not tried for ever', async () => {
  const { run } = await healing('broken');
  const { pool } = api.house;
  const admit = await refuse('proposal', 'P0001');
  await api.complete(run.id);
  await until('it is given up', async () => {
    const { rowCount } = await pool.query('SELECT FROM healed_run WHERE run_id = $1', [run.id]);
    return rowCount === 0;
  });
  expect(api.log.lines).toContainEqual(
    expect.objectContaining({
      facts: expect.objectContaining({ run: run.id, error: expect.stringContaining('Broken') }),
    }),
  );
  await admit();
});

test.each([
  ['proposal', '57014'],
  ['workflow_version', '40001'],
])('a repair whose %s PostgreSQL does not take in time (%s) is tried again', async (table, code) => {
  const name = `busy-${table.replace('_', '-')}-${code.toLowerCase()}`;
  const { run } = await healing(name);
  const admit = await refuse(table, code);
  await api.complete(run.id);
  const tried = await until('it was tried', () =>
    api.log.lines.find(({ facts }) => 'error' in facts && 'run' in facts && facts.run === run.id),
  );
  expect(tried.message).toBe('A repair failed');
  expect(await proposalsOf(name)).toEqual([]);
  await admit();
  const found = await until('it is proposed', async () => (await proposalsOf(name))[0]);
  expect(found).toMatchObject({ version: 2, runs: [run.id] });
});

test('a proof that an API submits which does not answer any more is waited for, and the proposal has it', async () => {
  const { workflow, run } = await healing('shop');
  const { pool } = api.house;

  // The same proof is being submitted already.
  const { rows } = await pool.query<{ project: string }>('SELECT project_id AS project FROM run WHERE id = $1', [
    run.id,
  ]);
  const request = ['replay', run.id, { id: workflow.id, version: 2 }];
  let answer = (_: Error): void => undefined;
  const taken = Promise.withResolvers<true>();
  const first = new IdempotencyService(new IdempotencyStore(pool)).once(
    rows[0]?.project ?? '',
    `heal-${workflow.id}-2`,
    request,
    () => {
      taken.resolve(true);
      return new Promise((_, reject) => (answer = reject));
    },
  );
  await taken.promise;
  await api.complete(run.id);
  await until('the proof was tried', () =>
    api.log.lines.some(({ facts }) => JSON.stringify(facts).includes('still at work')),
  );
  expect(await proposalsOf('shop')).toEqual([]);

  answer(new Error('It went away'));
  await expect(first).rejects.toThrow('It went away');
  const found = await until('it is proposed', async () => (await proposalsOf('shop'))[0]);
  expect(found).toMatchObject({ version: 2, proof: { state: 'running', run: expect.any(String), why: null } });
});
