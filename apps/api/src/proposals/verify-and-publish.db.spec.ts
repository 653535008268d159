import { randomUUID } from 'node:crypto';
import type { ProposalView } from '@pilothouse/contract/api/proposals.routes';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { WorkflowView } from '@pilothouse/contract/workflow/workflow.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const old = { role: 'button', name: 'Order' };
const healedEvent = (selector: string) => {
  const data = {
    step: 1,
    path: 'order',
    id: 'order',
    tier: 'vision',
    method: 'text-model',
    element: 'button',
    previousLocators: [old],
    locators: [{ css: selector }],
  };
  return createEvent('step.healed', 'Healed', data as never, new Date(), 'warn');
};

/** Ends a run like a worker that healed its order step. @param status the new locator; null: nothing was healed */
async function order(run: string, status: string | null = null): Promise<void> {
  await api.startRun(run);
  const { writer } = api.lifecycle;
  if (status !== null) await writer.write({ run, guard: { from: ['running'] }, events: [healedEvent(status)] });
  await api.complete(run);
}

const readProposal = async (id: string) => (await api.call<ProposalView>('GET', `/v1/proposals/${id}`)).body;
const becomes = (id: string, is: (proposal: ProposalView) => boolean) =>
  until('the proposal is so', async () => {
    const now = await readProposal(id);
    return is(now) && now;
  });
const approve = (id: string, body: object = { verifyFirst: true }) =>
  api.call<ProposalView & { detail: string }>('POST', `/v1/proposals/${id}/publish`, { body });
const published = async (name: string) =>
  (await api.call<WorkflowView>('GET', `/v1/workflows/${name}`)).body.publishedVersion;

/** A proposed repair of a step that must not happen twice. */
async function proposed(name: string): Promise<ProposalView> {
  const inputs = { item: { type: 'string' }, token: { type: 'string', secret: true } };
  const steps = [
    { action: 'navigate', url: 'https://shop.test/{{inputs.item}}' },
    { id: 'order', action: 'click', target: old, idempotent: false },
  ];
  await api.call('POST', '/v1/workflows?publish=true', { body: { name, heal: 'auto', inputs, steps } });
  const body = { inputs: { item: 'rope', token: 'a-secret-of-this-spec' } };
  const { body: run } = await api.call<RunView>('POST', `/v1/workflows/${name}/runs`, { body });
  await order(run.id, '#order');
  const candidate = await until('it is proposed', async () => {
    const { body: page } = await api.call<{ items: ProposalView[] }>('GET', `/v1/proposals?workflow=${name}`);
    return page.items[0];
  });
  expect(candidate).toMatchObject({ status: 'open', verification: { state: 'none', run: null }, approvedBy: null });
  return candidate;
}

test('approval replays a non-repeatable step with the same inputs, and publishes once it passes', async () => {
  const { id } = await proposed('approved');
  const answers = await Promise.all([approve(id), approve(id)]);
  const [first] = answers.filter(({ status }) => status === 200);
  expect(first?.body).toMatchObject({ status: 'open', verification: { state: 'running', reason: null }, version: 2 });
  // A repeated request returns the same run.
  const { body: runs } = await api.call<{ items: RunView[] }>('GET', '/v1/runs?workflow=approved');
  expect(runs.items).toHaveLength(2);
  const run = first?.body.verification.run as string;
  expect(runs.items[0]).toMatchObject({
    id: run,
    status: 'queued',
    workflow: { version: 2 },
    inputs: { item: 'rope' },
  });
  expect(await published('approved')).toBe(1);
  await order(run);
  const decided = await becomes(id, ({ status }) => status !== 'open');
  expect(decided).toMatchObject({ status: 'published', verification: { state: 'passed', run } });
  expect(decided.decidedBy).toBe(decided.approvedBy);
  expect(await published('approved')).toBe(2);
  expect((await approve(id)).status).toBe(409);
});

test('a failed replay publishes nothing; it can be replayed again or published without verification', async () => {
  const { id } = await proposed('unverified');
  const run = (await approve(id)).body.verification.run as string;
  await order(run, '#elsewhere');
  const failedProposal = await becomes(id, ({ verification }) => verification.state !== 'running');
  expect(failedProposal).toMatchObject({
    status: 'open',
    verification: { state: 'failed', run, reason: expect.stringContaining('healed again') },
  });
  expect(await approve(id, {})).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('skipVerification') },
  });
  const secondVerification = (await approve(id)).body.verification;
  expect(secondVerification).toMatchObject({ state: 'running', reason: null });
  expect(secondVerification.run).not.toBe(run);
  expect(await approve(id, { skipVerification: true })).toMatchObject({ status: 200, body: { status: 'published' } });
  expect(await published('unverified')).toBe(2);
  // An acceptance is final, regardless of the result of the replay.
  await order(secondVerification.run as string, '#elsewhere');
  expect(await becomes(id, ({ verification }) => verification.state === 'failed')).toMatchObject({
    status: 'published',
  });
});

test('an unpublishable proposal is not replayed, and conflicting decisions are rejected', async () => {
  const { id } = await proposed('passed');
  expect((await approve(id, { verifyFirst: true, skipVerification: true })).status).toBe(400);
  const definition = { name: 'passed', steps: [{ action: 'navigate', url: 'https://shop.test' }] };
  await api.call('PUT', '/v1/workflows/passed?publish=true', { body: definition });
  expect(await approve(id)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('version 3') } });
  expect(await readProposal(id)).toMatchObject({ status: 'superseded', verification: { state: 'none' } });
});

describe('an API that is killed after the verdict on a replay', () => {
  /** State after a kill: the verdict is written, but nothing after it. */
  const killed = async (id: string, fields: Partial<Record<'approved_by' | 'policy', string>>) => {
    const set = Object.entries({ verification: 'passed', verification_run_id: randomUUID(), ...fields });
    const columns = set.map(([column], index) => `${column} = $${index + 2}`);
    await api.context.pool.query(`UPDATE proposal SET ${columns.join(', ')} WHERE id = $1`, [
      id,
      ...set.map(([, value]) => value),
    ]);
    // The reaction that wrote the verdict is due again after its lease.
    await api.context.pool.query(
      `INSERT INTO run_reaction (run_id, reaction, attempts) SELECT verification_run_id, 'record_verification', 1 FROM proposal WHERE id = $1`,
      [id],
    );
  };

  test.each([
    ['a person approved', { approved_by: 'ops' }, 'ops'],
    ['the policy says', { policy: 'publish' }, 'heal'],
  ])('leaves no open proposal that %s', async (_, fields, actor) => {
    const name = `killed-${actor}`;
    const { id } = await proposed(name);
    await killed(id, fields);
    const decided = await becomes(id, ({ status }) => status !== 'open');
    expect(decided).toMatchObject({ status: 'published', decidedBy: actor, verification: { state: 'passed' } });
    expect(await published(name)).toBe(2);
  });

  test('leaves the proposal accepted if the version was published', async () => {
    const { id } = await proposed('killed-late');
    await api.call('POST', '/v1/workflows/killed-late/publish', { body: { version: 2 } });
    await killed(id, { approved_by: 'ops' });
    expect(await becomes(id, ({ status }) => status !== 'open')).toMatchObject({
      status: 'published',
      decidedBy: 'ops',
    });
  });

  test('publishes nothing without approval', async () => {
    const { id } = await proposed('only-verified');
    const { id: dueProposal } = await proposed('killed-last');
    await killed(id, {});
    await killed(dueProposal, { approved_by: 'ops' });
    await becomes(dueProposal, ({ status }) => status === 'published');
    expect(await readProposal(id)).toMatchObject({ status: 'open', verification: { state: 'passed' } });
  });
});

const pendingReactions = async (run: string) => {
  const { rows } = await api.context.pool.query<{ reaction: string }>(
    `SELECT reaction FROM run_reaction WHERE run_id = $1 AND reaction = 'record_verification'`,
    [run],
  );
  return rows.length;
};

test('an approval of a verification whose run has ended is recorded', async () => {
  const { id } = await proposed('ended');
  const run = (await approve(id)).body.verification.run as string;
  await order(run);
  await becomes(id, ({ status }) => status === 'published');
  await until('the reaction is done', async () => (await pendingReactions(run)) === 0);
  // As if the approval had been stored after the end of its run.
  const { pool, stores } = api.context;
  await pool.query(
    `UPDATE proposal SET status = 'open', verification = 'running', approved_by = NULL, decided_by = NULL WHERE id = $1`,
    [id],
  );
  await pool.query(`UPDATE workflow SET published_version = 1 WHERE name = 'ended'`);
  expect(await stores.proposals.approve(id, 'ops', run)).toBe(true);
  expect(await becomes(id, ({ status }) => status !== 'open')).toMatchObject({ status: 'published', decidedBy: 'ops' });
});

test('a proposal that passed while its workflow was archived is published when it is restored', async () => {
  const { id, workflow } = await proposed('archived');
  const run = (await approve(id)).body.verification.run as string;
  await api.call('POST', `/v1/workflows/${workflow.name}/archive`);
  await order(run);
  expect(await becomes(id, ({ verification }) => verification.state !== 'running')).toMatchObject({
    status: 'open',
    verification: { state: 'passed' },
  });
  await until('the reaction is done', async () => (await pendingReactions(run)) === 0);
  await api.call('POST', `/v1/workflows/${workflow.name}/unarchive`);
  expect(await becomes(id, ({ status }) => status !== 'open')).toMatchObject({ status: 'published' });
  expect(await published('archived')).toBe(2);
});
