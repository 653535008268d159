/**
 * Recovery time: from `kill -9` of a worker to the first request of the next one, as
 * recorded by the demo site. Also checks that a live worker keeps its leases on saturated cores.
 */
import { atMost, forSize, plain, type Bench, type BenchOptions } from '../harness/bench.ts';
import { saturateCores } from '../harness/busy-cores.ts';
import { BenchInstallation } from '../harness/bench-installation.ts';
import { seriesOf } from '../harness/statistics.ts';
import { ledger, timeOf, waitForever } from '../harness/bench-demo-site.ts';
import { rest, until } from '../harness/settle.ts';

const SLOTS = 4;

const bodyOf = (site: string) => ({
  steps: [{ action: 'navigate', url: `${site}/login` }, waitForever],
  capture: { screenshots: 'none' },
});

async function startRuns(installation: BenchInstallation, site: string, runs: number): Promise<string[]> {
  const views = await Promise.all(Array.from({ length: runs }, () => installation.client.submit(bodyOf(site))));
  for (const { id } of views)
    await until('the run waits at the page', async () => (await installation.client.run(id)).currentStep === 1);
  return views.map(({ id }) => id);
}

async function cancelRuns(installation: BenchInstallation, runs: readonly string[]): Promise<void> {
  for (const id of runs) await installation.client.cancel(id);
  for (const id of runs) await installation.client.waitForEnd(id);
}

/** Kills the worker of a run. @returns milliseconds until the first request of the next worker */
async function killOne(installation: BenchInstallation, site: string): Promise<number> {
  const [run = ''] = await startRuns(installation, site, 1);
  const [holder] = await installation.rows<{ worker: string }>('SELECT worker_name AS worker FROM run WHERE id = $1', [
    run,
  ]);
  const worker = installation.workers.find(({ name, isRunning }) => isRunning && name === holder?.worker);
  if (!worker) throw new Error('No worker executes the run');
  const { last } = await ledger(site, 0);
  // A random moment between two renewals.
  await rest(1_000 * Math.random());
  const killed = Date.now();
  await worker.kill();
  const entry = await until('the next worker acts', async () =>
    (await ledger(site, last)).entries.find(({ kind }) => kind === 'visit'),
  );
  await cancelRuns(installation, [run]);
  await installation.addWorker(SLOTS);
  return timeOf(entry) - killed;
}

/** @returns leases that live workers lost */
async function measureSaturatedCores(
  installation: BenchInstallation,
  site: string,
  options: BenchOptions,
): Promise<{ lost: number; seconds: number }> {
  const seconds = forSize(options, { smoke: 2, short: 30, full: 300 });
  const runs = await startRuns(installation, site, 6);
  const stop = saturateCores(2);
  try {
    options.log(`cores are saturated for ${seconds} s`);
    await rest(seconds * 1000);
  } finally {
    stop();
  }
  const [row] = await installation.rows<{ lost: number }>(
    `SELECT count(*)::int AS lost FROM run WHERE id = ANY ($1::uuid[]) AND (epoch > 1 OR status <> 'running')`,
    [runs],
  );
  await cancelRuns(installation, runs);
  return { lost: row?.lost ?? NaN, seconds };
}

export const recovery: Bench = async (options) => {
  const rounds = forSize(options, { smoke: 1, short: 10, full: 40 });
  const installation = await BenchInstallation.start({ ...options, slots: SLOTS });
  try {
    const site = await installation.site();
    await Promise.all([installation.addWorker(SLOTS), installation.addWorker(SLOTS)]);
    const took: number[] = [];
    while (took.length < rounds) {
      took.push(await killOne(installation, site));
      options.log(`${took.length}/${rounds}: ${took.at(-1)} ms`);
    }
    const { lost, seconds } = await measureSaturatedCores(installation, site, options);
    const series = seriesOf(took);
    return {
      figures: [
        atMost('kill -9 to first request of the next worker, p95', series.p95, 5_000, 'ms'),
        plain('the same, p50', series.p50, 'ms'),
        atMost(`leases lost by live workers in ${seconds} s of saturated cores`, lost, 0, ''),
      ],
      raw: { took, series, saturated: { lost, seconds, runs: 6 } },
    };
  } finally {
    await installation.stop();
  }
};
