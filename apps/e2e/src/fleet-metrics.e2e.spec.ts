import { join } from 'node:path';
import { findFreePort } from '@pilothouse/infra-embedded';
import { bundleOf } from './harness/bundles.ts';
import { Program } from './harness/child-program.ts';
import { promtool, testWithPromtool } from './harness/promtool.ts';
import { MetricsScrape } from './harness/scrape-metrics.ts';
import { searchPath } from './harness/servers.fixture.ts';
import { SLOTS, Stack } from './harness/stack.ts';

const fleet = 'browsers';

describe('the metrics of a fleet controller', () => {
  let stack: Stack;
  let controller: Program | undefined;
  let url: string;

  beforeAll(async () => {
    stack = await Stack.start({ workers: 0 });
    const port = await findFreePort(0);
    url = `http://127.0.0.1:${port}`;
    const worker = ['/usr/bin/env', 'PILOTHOUSE_SURFACE=null', process.execPath, await bundleOf('worker')];
    controller = await Program.start({
      name: 'controller',
      args: [await bundleOf('fleet')],
      env: {
        PATH: searchPath(),
        DATABASE_URL: stack.database.url,
        PILOTHOUSE_GATEWAY_URL: `${stack.client.url.replace(/^http/, 'ws')}/v1/gateway`,
        PILOTHOUSE_WORKER_COMMAND: JSON.stringify(worker),
        PILOTHOUSE_DATA_DIR: join(stack.dir, 'controller'),
        PILOTHOUSE_FLEET_PORT: String(port),
      },
    });
  });
  afterAll(async () => {
    await controller?.stop();
    await stack?.stop();
  });

  const waitForScrape = (description: string, isMatch: (scrape: MetricsScrape) => boolean) =>
    (controller as Program).ready(description, async () => {
      const now = await MetricsScrape.of(url).catch(() => undefined);
      return now && isMatch(now) ? now : undefined;
    });

  test('report decisions with reasons, workers, and cold start times', async () => {
    const firstScrape = await waitForScrape('it leads', (scrape) => scrape.value('pilothouse_fleet_is_leader') === 1);
    expect(firstScrape.value('pilothouse_fleet_cold_start_seconds_count', { fleet })).toBeUndefined();
    const { client } = stack;
    const run = await client.submit({ steps: [{ action: 'navigate', url: 'https://portal.test/a' }] });
    expect((await client.waitForEnd(run.id)).status).toBe('completed');
    const now = await waitForScrape(
      'a worker is ready',
      (scrape) => scrape.value('pilothouse_fleet_cold_start_seconds_count', { fleet }) === 1,
    );
    const created = { fleet, action: 'create', reason: 'waiting' };
    expect(now.value('pilothouse_fleet_decisions_total', created)).toBe(1);
    expect(now.value('pilothouse_fleet_cold_start_seconds_sum', { fleet })).toBeLessThan(60);
    expect(now.value('pilothouse_fleet_reconcile_seconds_count', { result: 'done' })).toBeGreaterThan(0);
    // A scrape before the claim includes the worker, all of its slots and the run.
    const ready = await waitForScrape(
      'its slots are free, and nothing waits',
      (scrape) =>
        scrape.value('pilothouse_fleet_slots', { fleet, use: 'free' }) === SLOTS &&
        scrape.value('pilothouse_fleet_queued_runs', { fleet }) === 0,
    );
    expect(ready.value('pilothouse_fleet_workers', { fleet, state: 'ready' })).toBe(1);
  });

  // Debian: package prometheus. scripts/test reports when it is missing.
  testWithPromtool('pass promtool check metrics', async () => {
    expect(await promtool(['check', 'metrics'], (await MetricsScrape.of(url)).text)).toEqual({ code: 0, output: '' });
  });
});
