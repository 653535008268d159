import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './harness/bundles.ts';
import { promtool, testWithPromtool } from './harness/promtool.ts';
import { MetricsScrape } from './harness/scrape-metrics.ts';
import { Stack } from './harness/stack.ts';
import { until } from './harness/poll-until.ts';

const fleet = 'browsers';
const open = (name: string) => ({ action: 'navigate', url: `https://portal.test/${name}` });
const never = { action: 'waitFor', condition: { text: 'never' }, timeout: 1 };

describe('the metrics of an API under load', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start({ workers: 0 });
  });
  afterAll(() => stack?.stop());

  const scrape = () => MetricsScrape.of(stack.client.url);
  /** First matching scrape. Queue figures are up to ten seconds old, worker reports up to five. */
  const waitForScrape = (description: string, isMatch: (scrape: MetricsScrape) => boolean) =>
    until(description, async () => {
      const now = await scrape();
      return isMatch(now) && now;
    });

  test('count waiting runs before a worker exists', async () => {
    const waiting = await stack.client.submit({ steps: [open('waits')] });
    const now = await waitForScrape(
      'the queue shows, and counters of its fleet have begun',
      (metrics) =>
        metrics.value('pilothouse_queue_runs', { fleet, state: 'admitted' }) === 1 &&
        metrics.value('pilothouse_run_recoveries_total', { fleet }) === 0,
    );
    expect(now.value('pilothouse_queue_oldest_run_age_seconds', { fleet })).toBeGreaterThan(0);
    expect(now.value('pilothouse_queue_paused', { fleet })).toBe(0);
    expect(now.value('pilothouse_database_up')).toBe(1);
    await stack.client.cancel(waiting.id);
  });

  test('count run results, step durations and connected workers', async () => {
    const firstScrape = await scrape();
    const worker = await stack.addWorker({ PILOTHOUSE_SURFACE: 'null', PILOTHOUSE_SLOTS: '4' });
    const { client } = stack;
    const good = await Promise.all(
      [1, 2, 3].map(() => client.submit({ steps: [open('a'), { action: 'screenshot' }] })),
    );
    const bad = await client.submit({ steps: [open('b'), never] });
    const cancelledRun = await client.submit({ steps: [open('c'), { ...never, timeout: 180 }] });
    await client.waitForEvent(cancelledRun.id, ({ type, data }) => type === 'step.started' && data['step'] === 1);
    await waitForScrape(
      'the surface is open',
      (metrics) => metrics.value('pilothouse_worker_surfaces_open', { fleet }) === 1,
    );
    await client.cancel(cancelledRun.id);
    const endedRuns = await Promise.all([...good, bad, cancelledRun].map(({ id }) => client.waitForEnd(id)));
    expect(endedRuns.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
      'failed',
      'cancelled',
    ]);

    const steps = (action: string, result: string) => ({ action, tier: 'replay', result, fleet });
    const now = await waitForScrape(
      'the worker reported all steps',
      (metrics) =>
        metrics.value('pilothouse_worker_step_seconds_count', steps('waitFor', 'failed')) === 2 &&
        metrics.value('pilothouse_worker_surfaces_open', { fleet }) === 0,
    );
    const rose = (name: string, labels: Record<string, string>) =>
      (now.value(name, labels) ?? 0) - (firstScrape.value(name, labels) ?? 0);
    expect({
      completed: rose('pilothouse_runs_ended_total', { fleet, status: 'completed', code: 'none' }),
      failed: rose('pilothouse_runs_ended_total', { fleet, status: 'failed', code: 'CONDITION_NOT_MET' }),
      cancelled: rose('pilothouse_runs_ended_total', { fleet, status: 'cancelled', code: 'none' }),
      took: rose('pilothouse_run_seconds_count', { fleet, status: 'completed' }),
      waited: rose('pilothouse_run_queue_wait_seconds_count', { fleet }),
      navigated: rose('pilothouse_worker_step_seconds_count', steps('navigate', 'completed')),
      completedSteps: rose('pilothouse_steps_total', { fleet, mode: 'deterministic' }),
      failures: rose('pilothouse_worker_step_failures_total', { code: 'CONDITION_NOT_MET', fleet }),
      begun: rose('pilothouse_worker_first_action_seconds_count', { start: 'cold', fleet }),
      begunWarm: rose('pilothouse_worker_first_action_seconds_count', { start: 'warm', fleet }),
      opened: rose('pilothouse_worker_surface_open_seconds_count', { result: 'opened', fleet }),
      connections: now.value('pilothouse_gateway_connections', { fleet }),
      free: now.value('pilothouse_gateway_slots', { fleet, use: 'free' }),
      busy: now.value('pilothouse_gateway_slots', { fleet, use: 'busy' }),
    }).toEqual({
      completed: 3,
      failed: 1,
      cancelled: 1,
      took: 3,
      waited: 5,
      navigated: 5,
      completedSteps: 8,
      failures: 1,
      begun: 1,
      begunWarm: 4,
      opened: 5,
      connections: 1,
      free: 4,
      busy: 0,
    });
    // The failed run waited one second.
    const seconds = rose('pilothouse_run_seconds_sum', { fleet, status: 'failed' });
    expect(seconds).toBeGreaterThan(1);
    expect(seconds).toBeLessThan(60);
    for (const stage of ['durable', 'published']) {
      expect(rose('pilothouse_event_lag_seconds_count', { stage })).toBeGreaterThan(5);
    }
    for (const commit of ['runs', 'inserts', 'leases']) {
      expect(rose('pilothouse_group_commit_size_sum', { commit })).toBeGreaterThanOrEqual(5);
      expect(rose('pilothouse_group_commit_seconds_count', { commit })).toBeGreaterThan(0);
    }
    expect(
      rose('pilothouse_object_store_request_seconds_count', { operation: 'put', result: 'success' }),
    ).toBeGreaterThanOrEqual(3);
    expect(rose('pilothouse_database_connection_hold_seconds_count', {})).toBeGreaterThan(5);
    expect(now.value('pilothouse_worker_metrics_rejected_total', { fleet, reason: 'unknown' })).toBe(0);

    await worker.stop();
    const remaining = await waitForScrape(
      'the worker left',
      (metrics) => metrics.value('pilothouse_gateway_connections', { fleet }) === 0,
    );
    expect(remaining.value('pilothouse_worker_surfaces_open', { fleet })).toBe(0);
    expect(remaining.value('pilothouse_gateway_slots', { fleet, use: 'free' })).toBe(0);
  });

  test('contain no run, project, address or secret', async () => {
    const { text, series } = await scrape();
    const { adminKey, fleetToken } = stack.secrets;
    expect(text).not.toContain(adminKey.slice(0, 12));
    expect(text).not.toContain(fleetToken.slice(0, 12));
    expect(series.filter((line) => /"default"|portal\.test|worker-\d|[0-9a-f]{8}-[0-9a-f]{4}-/.test(line))).toEqual([]);
    const labels = new Set(series.flatMap((line) => [...line.matchAll(/(\w+)="/g)].map(([, label]) => label)));
    for (const label of ['run', 'project', 'worker', 'url', 'message', 'host']) expect(labels).not.toContain(label);
  });

  test('are documented with their types', async () => {
    const page = await readFile(join(root, 'docs/reference/metrics.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(pilothouse_\w+)` \| (\w+)/gm)].map(([, name, type]) => `${name} ${type}`);
    const metricTypes = [...(await scrape()).types].map(([name, type]) => `${name} ${type}`);
    const ours = (names: string[]) => names.filter((name) => /^pilothouse_(?!fleet_|jobs_)/.test(name)).sort();
    expect(ours(metricTypes)).toEqual(ours(rows));
  });

  // Debian: package prometheus. scripts/test reports when it is missing.
  testWithPromtool('pass promtool check metrics', async () => {
    expect(await promtool(['check', 'metrics'], (await scrape()).text)).toEqual({ code: 0, output: '' });
  });
});
