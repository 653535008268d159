import type { Site } from '@pilothouse/contract/project/politeness.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { useGatewayHarness } from '../../testing/gateway.fixture.ts';
import type { ProtocolWorker } from '../../testing/protocol-worker.fixture.ts';

/*
 * Tests site limits over real sockets of two workers, each at a separate gateway on one database.
 */
describe('site limits', () => {
  const harness = useGatewayHarness();
  const { worker, submit } = harness;
  const shop: Site = { host: 'www.shop.test', port: 443 };
  const otherSite: Site = { host: 'other.test', port: 443 };
  let id = 0;

  const configureLimits = (limits: object[]) =>
    harness.pool.query('UPDATE project SET politeness = $2 WHERE id = $1', [
      harness.project,
      JSON.stringify({ limits }),
    ]);
  const steps = [{ action: 'press', key: 'Enter' }];
  const limited = (name: string, limits: object[]) => ({
    workflowName: name,
    definition: workflowDefinitionSchema.parse({ name, steps, politeness: { limits } }),
  });

  /** Two workers, the second at another replica. */
  async function two(slots = 3): Promise<[ProtocolWorker, ProtocolWorker]> {
    const [first, second] = [worker(slots), harness.workerElsewhere(slots)];
    await Promise.all([first.connect(), second.connect()]);
    return [first, second];
  }

  /** A run on either worker. */
  async function at(workers: readonly ProtocolWorker[], fields: Parameters<typeof submit>[0] = {}) {
    const run = await submit(fields);
    const assigned = await until(`${run} is assigned`, () =>
      workers.find(({ received: messages }) =>
        messages.some((message) => message.type === 'assign' && message.assignment.run === run),
      ),
    );
    return { one: assigned, attempt: await assigned.acceptAssignment(run), run };
  }
  type Holder = { one: ProtocolWorker; attempt: Attempt };

  async function requestSite({ one, attempt }: Holder, openedSite: Site | null, ...openSites: Site[]) {
    id += 1;
    const requestId = id;
    one.send({ type: 'site_limit.request', id: requestId, ...attempt, site: openedSite, openSites });
    return one.waitFor('site_limit.permit', (answer) => answer.id === requestId);
  }
  const went = ({ blockedBy }: ToWorkerOf<'site_limit.permit'>) => blockedBy === null;
  const visits = async () =>
    (await harness.pool.query('SELECT FROM site_visit WHERE project_id = $1', [harness.project])).rowCount;
  const completeRun = ({ one, attempt }: Holder) =>
    one.append(attempt, [], { outcome: { status: 'completed', output: {} } });

  it('need no request for unlimited pages', async () => {
    const [first] = await two();
    const run = await at([first]);
    expect(await requestSite(run, shop)).toMatchObject({ retryAfterMs: 0, blockedBy: null });
    expect(await visits()).toBe(0);
  });

  it('grant nothing to an ended attempt, which cannot release visits of the next one', async () => {
    await configureLimits([{ domain: '*.shop.test', maxConcurrentRuns: 1 }]);
    const [first] = await two();
    const run = await at([first]);
    expect(went(await requestSite(run, shop))).toBe(true);
    // Another attempt has replaced it, and its worker does not know it yet.
    await harness.pool.query('UPDATE run SET epoch = epoch + 1 WHERE id = $1', [run.run]);
    await harness.pool.query('UPDATE site_visit SET epoch = epoch + 1 WHERE run_id = $1', [run.run]);
    id += 1;
    first.send({ type: 'site_limit.request', id, ...run.attempt, site: null, openSites: [] });
    expect(await first.waitFor('rejected', (refused) => refused.id === id)).toMatchObject({
      error: { code: 'LEASE_LOST' },
    });
    expect(await visits()).toBe(1);
  });

  it('hold over two gateways, first come first served', async () => {
    await configureLimits([{ domain: '*.shop.test', maxConcurrentRuns: 2 }]);
    const workers = await two();
    const [a, b, c, d] = [await at(workers), await at(workers), await at(workers), await at(workers)];
    expect(new Set([a.one, b.one, c.one, d.one]).size).toBe(2);
    expect([
      went(await requestSite(a, shop)),
      went(await requestSite(b, { host: 'api.shop.test', port: 443 })),
    ]).toEqual([true, true]);
    expect(await requestSite(c, shop)).toMatchObject({
      retryAfterMs: 200,
      blockedBy: { scope: 'project', domain: '*.shop.test', limit: 'maxConcurrentRuns', max: 2, runsAhead: 0 },
    });
    expect(await requestSite(d, shop)).toMatchObject({ blockedBy: { runsAhead: 1 } });
    // A run with a slot requests no other one, and holds it while its page is open.
    expect(went(await requestSite(a, shop))).toBe(true);
    expect(went(await requestSite(a, otherSite, shop))).toBe(true);
    expect(went(await requestSite(c, shop))).toBe(false);
    // It releases its slot, but not to the latest run.
    await requestSite(a, null, otherSite);
    expect(went(await requestSite(d, shop))).toBe(false);
    expect(went(await requestSite(c, shop))).toBe(true);
    completeRun(b);
    await harness.whenStatus(b.run, 'completed');
    expect(went(await requestSite(d, shop))).toBe(true);
  });

  it('grant a waiting run nothing, so that two runs cannot deadlock', async () => {
    await configureLimits([
      { domain: 'www.shop.test', maxConcurrentRuns: 1 },
      { domain: 'other.test', maxConcurrentRuns: 1 },
    ]);
    const workers = await two();
    const [a, b, c] = [await at(workers), await at(workers), await at(workers)];
    expect([went(await requestSite(a, shop)), went(await requestSite(b, otherSite))]).toEqual([true, true]);
    // A request to the site of the other run, while its own page stays open.
    expect(await requestSite(a, otherSite, shop)).toMatchObject({
      blockedBy: { domain: 'other.test', limit: 'maxConcurrentRuns' },
    });
    expect(went(await requestSite(b, shop, otherSite))).toBe(true);
    // It has both slots; the page of the first run waits for its own site, too.
    await requestSite(b, null, shop);
    expect(await requestSite(a, otherSite, shop)).toMatchObject({ blockedBy: { domain: 'www.shop.test' } });
    await requestSite(b, null);
    expect(went(await requestSite(a, otherSite, shop))).toBe(true);
    expect(went(await requestSite(c, shop))).toBe(false);
    await requestSite(a, null, otherSite);
    expect(went(await requestSite(c, shop))).toBe(true);
  });

  it('let a run that waits for its rate keep its slot, without further ones', async () => {
    await configureLimits([
      { domain: 'www.shop.test', maxConcurrentRuns: 1, requestsPerMinute: 0.1 },
      { domain: 'other.test', requestsPerMinute: 0.1 },
    ]);
    const workers = await two();
    const [a, b] = [await at(workers), await at(workers)];
    expect(went(await requestSite(b, otherSite))).toBe(true);
    expect(went(await requestSite(a, shop))).toBe(true);
    expect(await requestSite(a, otherSite, shop)).toMatchObject({
      blockedBy: { domain: 'other.test', limit: 'requestsPerMinute' },
    });
    expect(await requestSite(b, shop)).toMatchObject({
      blockedBy: { domain: 'www.shop.test', limit: 'maxConcurrentRuns' },
    });
    await harness.pool.query(`UPDATE site_rate SET last_visit_at = last_visit_at - interval '600 seconds'`);
    expect(went(await requestSite(a, otherSite, shop))).toBe(true);
    const { rows } = await harness.pool.query<{ domain: string }>(
      `SELECT domain FROM site_rate WHERE clock_timestamp() - last_visit_at < interval '500 seconds'`,
    );
    expect(rows).toEqual([{ domain: 'other.test' }]);
  });

  it('release the slot of a dead worker', async () => {
    await configureLimits([{ domain: '*.shop.test', maxConcurrentRuns: 1 }]);
    const [first, second] = await two(1);
    const dying = await at([first, second]);
    expect(went(await requestSite(dying, shop))).toBe(true);
    const next = await at([dying.one === first ? second : first]);
    expect(went(await requestSite(next, shop))).toBe(false);
    dying.one.disconnect();
    await harness.expire(dying.run);
    await harness.whenStatus(dying.run, 'queued');
    expect(went(await requestSite(next, shop))).toBe(true);
  });

  it('space page visits evenly over all runs', async () => {
    await configureLimits([{ domain: '*.shop.test', requestsPerMinute: 6 }]);
    const workers = await two();
    const [a, b, c] = [await at(workers), await at(workers), await at(workers)];
    expect(went(await requestSite(a, shop))).toBe(true);
    const second = await requestSite(b, shop);
    expect(second).toMatchObject({ blockedBy: { limit: 'requestsPerMinute', max: 6, runsAhead: 0 } });
    expect(second.retryAfterMs).toBeGreaterThan(0);
    expect(second.retryAfterMs).toBeLessThanOrEqual(10_000);
    const third = await requestSite(c, shop);
    expect(third.blockedBy).toMatchObject({ runsAhead: 1 });
    expect(third.retryAfterMs).toBeGreaterThan(second.retryAfterMs);
    expect(third.retryAfterMs).toBeLessThanOrEqual(20_000);
    expect(went(await requestSite(a, otherSite))).toBe(true);
    await harness.pool.query(`UPDATE site_rate SET last_visit_at = last_visit_at - interval '10 seconds'`);
    expect(went(await requestSite(c, shop))).toBe(false);
    expect(went(await requestSite(b, shop))).toBe(true);
    await harness.pool.query(`UPDATE site_rate SET last_visit_at = last_visit_at - interval '10 seconds'`);
    expect(went(await requestSite(c, shop))).toBe(true);
  });

  it('of a workflow apply to its runs, in addition to those of the project', async () => {
    await configureLimits([{ domain: '*.shop.test', maxConcurrentRuns: 2 }]);
    const workers = await two();
    const ownLimits = limited('own', [{ domain: 'www.shop.test', maxConcurrentRuns: 1 }]);
    const [a, b, c] = [await at(workers, ownLimits), await at(workers, ownLimits), await at(workers)];
    expect(went(await requestSite(a, shop))).toBe(true);
    expect(await requestSite(b, shop)).toMatchObject({ blockedBy: { scope: 'workflow', domain: 'www.shop.test' } });
    // A run that waits for a workflow limit does not block others.
    expect(went(await requestSite(c, shop))).toBe(true);
    expect(await requestSite(b, { host: 'x.shop.test', port: 443 })).toMatchObject({ blockedBy: { scope: 'project' } });
  });

  it('reject requests from workers that do not hold the run', async () => {
    await configureLimits([{ domain: '*.shop.test', maxConcurrentRuns: 1 }]);
    const workers = await two();
    const { one, attempt } = await at(workers);
    id += 1;
    const requestId = id;
    one.send({
      type: 'site_limit.request',
      id: requestId,
      run: attempt.run,
      epoch: attempt.epoch + 1,
      site: shop,
      openSites: [],
    });
    expect(await one.waitFor('rejected', (refused) => refused.id === requestId)).toMatchObject({
      error: { code: 'LEASE_LOST' },
    });
    expect(await visits()).toBe(0);
  });

  it('release all visits of a deleted run', async () => {
    await configureLimits([{ domain: '*.shop.test', maxConcurrentRuns: 1 }]);
    const run = await at(await two());
    await requestSite(run, shop);
    expect(await visits()).toBe(1);
    await harness.pool.query('DELETE FROM run WHERE id = $1', [run.run]);
    expect(await visits()).toBe(0);
  });
});
