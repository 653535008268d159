import type { ProposalView } from '@pilothouse/contract/api/proposals.routes';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { WorkflowView } from '@pilothouse/contract/workflow/workflow.schema';
import { MAX_REACTION_ATTEMPTS } from '@pilothouse/core/run/run-reactions';
import { IdempotencyStore } from '@pilothouse/infra-db';
import { until } from '@pilothouse/testing/test-helpers';
import { IdempotencyService } from '../runs/idempotency.service.ts';
import { storedKeyOf } from '../runs/run-origin.ts';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const old = { role: 'button', name: 'Find' };

/** A workflow and one of its active runs, with one healed step. */
async function healing(name: string, fields: object = {}): Promise<{ workflow: WorkflowView; run: RunView }> {
  const steps = [{ id: 'find', action: 'click', target: old }];
  const body = { name, heal: 'auto', steps, ...fields };
  const { body: workflow } = await api.call<WorkflowView>('POST', '/v1/workflows?publish=true', { body });
  return { workflow, run: await healedOf(name, '#find') };
}

/** An active run of a workflow with one healed step. */
async function healedOf(name: string, css: string): Promise<RunView> {
  const { body: run } = await api.call<RunView>('POST', `/v1/workflows/${name}/runs`, { body: {} });
  await api.startRun(run.id);
  const healedStep = {
    step: 0,
    path: 'find',
    id: 'find',
    tier: 'vision',
    method: 'text-model',
    element: 'button',
    previousLocators: [old],
    locators: [{ css }],
  };
  await api.lifecycle.writer.write({
    run: run.id,
    guard: { from: ['running'] },
    events: [createEvent('step.healed', 'Healed', healedStep as never, new Date(), 'warn')],
  });
  return run;
}

/** Makes PostgreSQL reject new rows or updates of a table. */
const refuse = (table: string, code: string, operation: 'INSERT' | 'UPDATE' = 'INSERT') =>
  api.context.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'Broken' USING ERRCODE = '${code}'; END $$;
    CREATE TRIGGER refuse BEFORE ${operation} ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`);
const admit = () => api.context.pool.query('DROP FUNCTION IF EXISTS refuse CASCADE');
afterEach(admit);

const proposalsOf = async (workflow: string) =>
  (await api.call<{ items: ProposalView[] }>('GET', `/v1/proposals?workflow=${workflow}`)).body.items;

const proposed = (workflow: string, is: (proposal: ProposalView) => boolean = () => true) =>
  until('it is proposed, and so', async () => (await proposalsOf(workflow)).find(is));

/** Completes a verification with nothing healed. */
async function completeVerification({ run }: ProposalView['verification']): Promise<void> {
  if (run === null) throw new Error('Nothing proves it');
  await api.startRun(run);
  await api.complete(run);
}

/** Lets the next attempt of the repair of a run be its last. The reaction is not claimed while it waits for a short delay. */
const exhaustAttempts = (run: string) =>
  until('it waits for its last attempt', async () => {
    const { rowCount } = await api.context.pool.query(
      `UPDATE run_reaction SET attempts = ${MAX_REACTION_ATTEMPTS - 1}
       WHERE run_id = $1 AND reaction = 'propose_repair' AND due_at < now() + interval '30 s'`,
      [run],
    );
    return rowCount === 1;
  });

test.each([
  ['fails for an unknown reason', 'P0001'],
  ['fails in its last attempt', '57014'],
])('a repair that %s is abandoned', async (description, code) => {
  const { run } = await healing(description.replaceAll(' ', '-'));
  const { pool } = api.context;
  await refuse('proposal', code);
  await api.complete(run.id);
  if (code !== 'P0001') await exhaustAttempts(run.id);
  await until('it is abandoned', async () => {
    const sql = `SELECT FROM run_reaction WHERE run_id = $1 AND reaction = 'propose_repair'`;
    return (await pool.query(sql, [run.id])).rowCount === 0;
  });
  expect(api.log.lines).toContainEqual(
    expect.objectContaining({
      level: 'error',
      message: 'reaction abandoned',
      facts: expect.objectContaining({ run: run.id, error: expect.stringContaining('Broken') }),
    }),
  );
  expect(await (await api.fetch('GET', '/metrics')).text()).toMatch(
    /pilothouse_run_reactions_total\{(?=[^}]*propose_repair)[^}]*outcome="abandoned"[^}]*\} [1-9]/,
  );
});

test.each([
  ['proposal', '57014'],
  ['proposal', '40P01'],
  ['workflow_version', '40001'],
])('a repair is retried: PostgreSQL cannot write %s in time (%s)', async (table, code) => {
  const name = `busy-${table.replace('_', '-')}-${code.toLowerCase()}`;
  const { run } = await healing(name);
  await refuse(table, code);
  await api.complete(run.id);
  const attempted = await until('it was tried', () =>
    api.log.lines.find(({ facts }) => 'error' in facts && 'run' in facts && facts.run === run.id),
  );
  expect(attempted.message).toBe('reaction failed, next attempt after its delay');
  expect(await proposalsOf(name)).toEqual([]);
  await admit();
  expect(await proposed(name)).toMatchObject({ version: 2, runs: [run.id] });
});

test('two repairs of one step with delayed verifications create one version each, despite retries', async () => {
  const { workflow, run } = await healing('two-ways');
  const otherRun = await healedOf('two-ways', '#search');
  await refuse('run', '57014');
  api.log.lines.length = 0;
  await Promise.all([api.complete(run.id), api.complete(otherRun.id)]);
  const tries = (workflow: string) =>
    api.log.lines.filter(
      ({ message, facts }) => message.startsWith('reaction failed') && 'run' in facts && facts.run === workflow,
    );
  await until('both were tried three times', () => [run, otherRun].every(({ id }) => tries(id).length >= 3));
  const { rows } = await api.context.pool.query('SELECT version FROM workflow_version WHERE workflow_id = $1', [
    workflow.id,
  ]);
  expect(rows.map(({ version }) => version).sort()).toEqual([1, 2, 3]);
  await admit();
  // The second takes the slot of the first.
  const openProposal = await proposed('two-ways', ({ status, runs }) => status === 'open' && runs.length === 2);
  expect([...openProposal.runs].sort()).toEqual([run.id, otherRun.id].sort());
});

test('a repair whose verification cannot be submitted becomes a proposal with the reason in the last attempt', async () => {
  const { run } = await healing('late');
  await refuse('run', '57014');
  await api.complete(run.id);
  await exhaustAttempts(run.id);
  const verification = { state: 'none', run: null, reason: expect.any(String) };
  expect(await proposed('late')).toMatchObject({ version: 2, status: 'open', runs: [run.id], verification });
});

describe('a permanent failure', () => {
  /** Clients see no details of the failure; the log has them. */
  const unexpected = 'Unexpected error; see the log';
  const logged = () =>
    expect(api.log.lines.map(({ facts }) => JSON.stringify(facts))).toContainEqual(expect.stringContaining('Broken'));

  test('during submission of a verification leaves a proposal with the reason', async () => {
    const { run } = await healing('unverified');
    await refuse('run', 'P0001');
    api.log.lines.length = 0;
    await api.complete(run.id);
    const verification = { state: 'none', run: null, reason: unexpected };
    expect(await proposed('unverified')).toMatchObject({ version: 2, status: 'open', verification });
    logged();
  });

  test('during the evaluation of a verification marks it as failed', async () => {
    const { workflow, run } = await healing('unjudged');
    await api.complete(run.id);
    const { verification } = await proposed('unjudged');
    await api.context.pool.query('DELETE FROM workflow_version WHERE workflow_id = $1 AND version = 2', [workflow.id]);
    await completeVerification(verification);
    const failedProposal = await proposed('unjudged', ({ verification: { state } }) => state !== 'running');
    const reason = expect.stringMatching(
      /^Verification could not be evaluated: Version 2 of workflow unjudged not found/,
    );
    expect(failedProposal).toMatchObject({
      status: 'open',
      verification: { state: 'failed', run: verification.run, reason },
    });
  });

  test('during publication marks it as failed; a later replay publishes it', async () => {
    const { workflow, run } = await healing('unpublished', { repairPolicy: 'publish' });
    await api.complete(run.id);
    const { id, verification } = await proposed('unpublished');
    await refuse('workflow', 'P0001', 'UPDATE');
    api.log.lines.length = 0;
    await completeVerification(verification);
    const failedProposal = await proposed('unpublished', ({ verification: { state } }) => state === 'failed');
    const reason = `Verified version could not be published: ${unexpected}`;
    expect(failedProposal).toMatchObject({
      status: 'open',
      verification: { state: 'failed', run: verification.run, reason },
    });
    logged();

    await admit();
    const { body } = await api.call<ProposalView>('POST', `/v1/proposals/${id}/publish`, {
      body: { verifyFirst: true },
    });
    await completeVerification(body.verification);
    await proposed('unpublished', ({ status }) => status === 'published');
    const { body: now } = await api.call<WorkflowView>('GET', `/v1/workflows/${workflow.id}`);
    expect(now.publishedVersion).toBe(2);
  });
});

test('a verification submitted by a hung API is awaited, and the proposal refers to it', async () => {
  const { workflow, run } = await healing('shop');
  const { pool } = api.context;

  // The same verification is being submitted.
  const { rows } = await pool.query<{ project: string }>('SELECT project_id AS project FROM run WHERE id = $1', [
    run.id,
  ]);
  const request = ['replay', run.id, { id: workflow.id, version: 2 }];
  let answer = (_: Error): void => undefined;
  const isAcquired = Promise.withResolvers<true>();
  const first = new IdempotencyService(new IdempotencyStore(pool)).runOnce(
    rows[0]?.project ?? '',
    storedKeyOf({ kind: 'replay', idempotencyKey: `heal-${workflow.id}-2` }),
    request,
    () => {
      isAcquired.resolve(true);
      return new Promise((_, reject) => (answer = reject));
    },
  );
  await isAcquired.promise;
  await api.complete(run.id);
  await until('the verification was tried', () =>
    api.log.lines.some(({ facts }) => JSON.stringify(facts).includes('in progress')),
  );
  expect(await proposalsOf('shop')).toEqual([]);

  answer(new Error('It went away'));
  await expect(first).rejects.toThrow('It went away');
  expect(await proposed('shop')).toMatchObject({
    version: 2,
    verification: { state: 'running', run: expect.any(String), reason: null },
  });
});
