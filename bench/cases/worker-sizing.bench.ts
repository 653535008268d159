/**
 * Resource requests of a cluster. Browser workers: memory and CPU by slots, each with a page of the demo site, on a
 * display as in the image. API: memory by connected workers. API and controller: memory by waiting runs. Figures are
 * absolute: no peer is comparable. Produces the tables of workers and services in bench/RESULTS.md.
 */
import { atMost, forSize, plain, type Bench, type BenchOptions, type Figure } from '../harness/bench.ts';
import { BenchInstallation } from '../harness/bench-installation.ts';
import { round } from '../harness/statistics.ts';
import { cpuWithEnded, pssOf, treeOf } from '../harness/process-memory.ts';
import { insertRuns, submit } from '../harness/empty-run-load.ts';
import { loginSteps, waitForever } from '../harness/bench-demo-site.ts';
import { rest, until } from '../harness/settle.ts';

const SLOTS = [1, 2, 4, 8];

/** Runs per slot for the CPU measurement. */
const TURNS = 3;

/** Milliseconds before memory is read, so that processes settle. */
const REST_MS = 3_000;

interface Row {
  readonly slots: number;
  /** Megabytes (PSS): warm without a run, then with a run in each slot. */
  readonly warm: number;
  readonly full: number;
  /** Percent of a core with an idle page in each slot. */
  readonly waiting: number;
  /** CPU seconds of one run: log in, read six pages. */
  readonly perRun: number;
}

const record = { screenshots: 'none' };

const reading = (site: string) => ({
  steps: [
    ...loginSteps(site),
    ...Array.from({ length: 6 }, (_, n) => ({ action: 'navigate', url: `${site}/catalogue?page=${n + 1}` })),
  ],
  capture: record,
});

/** Measures a worker with this number of slots. */
async function worker(installation: BenchInstallation, site: string, slots: number): Promise<Row> {
  const program = await installation.addWorker(slots, { PILOTHOUSE_HEADLESS: 'auto' });
  const tree = () => treeOf([program.pid]);
  await rest(REST_MS);
  const warm = pssOf(tree());

  const body = { steps: [...loginSteps(site), waitForever], capture: record };
  const runs = await Promise.all(Array.from({ length: slots }, () => installation.client.submit(body)));
  for (const { id } of runs)
    await until('the run waits at the page', async () => (await installation.client.run(id)).currentStep === 4);
  await rest(REST_MS);
  const full = pssOf(tree());
  const [previousCpu, startedAt] = [cpuWithEnded(tree()), performance.now()];
  await rest(2 * REST_MS);
  const waiting = (100 * (cpuWithEnded(tree()) - previousCpu)) / (performance.now() - startedAt);
  for (const { id } of runs) await installation.client.cancel(id);
  for (const { id } of runs) await installation.client.waitForEnd(id);

  const idle = cpuWithEnded(tree());
  const work = await Promise.all(
    Array.from({ length: TURNS * slots }, () => installation.client.submit(reading(site))),
  );
  for (const { id } of work) {
    const { status } = await installation.client.waitForEnd(id, 180_000);
    if (status !== 'completed') throw new Error(`A run is ${status}`);
  }
  const perRun = (cpuWithEnded(tree()) - idle) / 1000 / work.length;
  await program.stop();
  return { slots, warm: round(warm, 0), full: round(full, 0), waiting: round(waiting, 1), perRun: round(perRun) };
}

/** Memory of API and controller, in megabytes. */
async function measureComponents(options: BenchOptions) {
  const benchInstallation = await BenchInstallation.start({ ...options, max: 0 });
  try {
    const controller = await benchInstallation.addController();
    const componentMemory = async () => {
      await rest(REST_MS);
      return { api: round(pssOf([benchInstallation.api?.pid ?? 0]), 0), controller: round(pssOf([controller.pid]), 0) };
    };
    const empty = await componentMemory();
    await submit(benchInstallation, 1_000);
    const queuedMemory = await componentMemory();
    await insertRuns(benchInstallation, 9_000);
    const loaded = await componentMemory();
    return { empty, queued: queuedMemory, more: loaded };
  } finally {
    await benchInstallation.stop();
  }
}

/** Memory of the API with this number of idle workers, in megabytes. */
async function gateway(options: BenchOptions, workers: number): Promise<number> {
  const benchInstallation = await BenchInstallation.start(options);
  try {
    await benchInstallation.addLoadGenerator(workers);
    await until(
      'all workers are here',
      async () => {
        const [row] = await benchInstallation.rows<{ here: number }>(
          `SELECT count(*)::int AS here FROM worker WHERE state = 'ready'`,
        );
        return row?.here === workers;
      },
      120_000,
      250,
    );
    await rest(4 * REST_MS);
    return round(pssOf([benchInstallation.api?.pid ?? 0]), 0);
  } finally {
    await benchInstallation.stop();
  }
}

export const sizing: Bench = async (options) => {
  const rows: Row[] = [];
  const browsers = await BenchInstallation.start(options);
  try {
    const site = await browsers.site();
    for (const slots of forSize(options, { smoke: [1], short: SLOTS, full: SLOTS })) {
      const row = await worker(browsers, site, slots);
      rows.push(row);
      options.log(JSON.stringify(row));
    }
  } finally {
    await browsers.stop();
  }
  const memory = await measureComponents(options);
  options.log(JSON.stringify(memory));
  const [few, many] = forSize(options, { smoke: [1, 10], short: [100, 1_000], full: [100, 1_000] } as const);
  const fewMemory = await gateway(options, few);
  const manyMemory = await gateway(options, many);
  const [first, last] = [rows[0], rows.at(-1)];
  const perSlot = first && last ? (last.full - first.full) / (last.slots - first.slots) : NaN;
  return {
    figures: [
      ...rows.flatMap(({ slots, warm, full, waiting, perRun }): Figure[] => [
        plain(`${slots} slots, warm`, warm, 'MB'),
        plain(`${slots} slots, a page in each`, full, 'MB'),
        plain(`${slots} slots, core while nothing happens`, waiting, '%'),
        plain(`${slots} slots, core time of a run`, perRun, 's'),
      ]),
      plain('each further slot', round(perSlot, 0), 'MB'),
      plain('API, nothing to do', memory.empty.api, 'MB'),
      plain('API with 1,000 and 10,000 runs waiting', memory.queued.api, `MB, ${memory.more.api} MB`),
      plain(`API with ${few} idle workers`, fewMemory, 'MB'),
      plain(`API with ${many} idle workers`, manyMemory, 'MB'),
      plain('controller, nothing to do', memory.empty.controller, 'MB'),
      atMost('controller with 10,000 runs waiting', memory.more.controller, 300, 'MB'),
    ],
    raw: { rows, perSlot, installation: memory, api: { [few]: fewMemory, [many]: manyMemory }, turns: TURNS },
  };
};
