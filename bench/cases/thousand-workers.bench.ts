/**
 * Load of a thousand workers on the gateway. Many real workers share a process: socket, session, renewals, leases and
 * reports, with null surfaces. Measures idle CPU against a plain `ws` server that answers as many heartbeats, and the
 * memory per worker. Measures also the reconnect time after the API was killed during a thousand runs.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { atMost, forSize, plain, type Bench, type BenchOptions } from '../harness/bench.ts';
import { BenchInstallation } from '../harness/bench-installation.ts';
import { round } from '../harness/statistics.ts';
import { cpuOf, pssOf, treeOf } from '../harness/process-memory.ts';
import { submit } from '../harness/empty-run-load.ts';
import { rest, until } from '../harness/settle.ts';

const WORKERS = 1_000;
const SMOKE_WORKERS = 20;

/** Duration of the idle measurement in milliseconds. */
const IDLE_MS = 20_000;
const SMOKE_IDLE_MS = 1_000;

/** A run that is active when the API is killed; its steps need only the gateway. */
const stepping = {
  steps: Array.from({ length: 20 }, (_, n) => ({ action: 'navigate', url: `https://example.com/${n}` })),
};

/** CPU use of processes during a period, in percent of a core. */
async function coreOf(pids: readonly number[], ms: number): Promise<number> {
  const previousCpu = cpuOf(pids);
  const startedAt = performance.now();
  await rest(ms);
  return (100 * (cpuOf(pids) - previousCpu)) / (performance.now() - startedAt);
}

/** The same for a plain server. */
async function bareCore(workers: number, ms: number): Promise<number> {
  const server = fork(join(import.meta.dirname, '../peers/bare-ws-server.ts'));
  const [port] = (await once(server, 'message')) as [number];
  const heartbeatClient = fork(join(import.meta.dirname, '../peers/heartbeat-client.ts'), [
    String(port),
    String(workers),
  ]);
  try {
    await once(heartbeatClient, 'message');
    await rest(2_000);
    return await coreOf([server.pid ?? 0], ms);
  } finally {
    heartbeatClient.disconnect();
    server.disconnect();
  }
}

const connected = async (installation: BenchInstallation): Promise<number> => {
  const text = await fetch(`${installation.url}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  );
  return Number(/^pilothouse_gateway_connections\{[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0);
};

const allConnected = async (installation: BenchInstallation, workers: number) => {
  const startedAt = performance.now();
  await until('all workers are here', async () => (await connected(installation)) === workers, 120_000, 100);
  return performance.now() - startedAt;
};

/** Summary of the runs of an installation. */
async function runsOf(installation: BenchInstallation) {
  const [row] = await installation.rows<{ runs: number; completed: number; again: number; gaps: number; ends: number }>(
    `SELECT count(*)::int AS runs, count(*) FILTER (WHERE status = 'completed')::int AS completed,
            count(*) FILTER (WHERE epoch > 1)::int AS again, count(*) FILTER (WHERE e.events <> r.event_seq)::int AS gaps,
            coalesce(sum(e.ends), 0)::int AS ends
     FROM run r JOIN (SELECT run_id, count(*) AS events, count(*) FILTER (WHERE type IN ('run.completed', 'run.failed', 'run.cancelled')) AS ends
                      FROM run_event GROUP BY run_id) e ON e.run_id = r.id`,
  );
  return row ?? { runs: 0, completed: 0, again: 0, gaps: 0, ends: 0 };
}

/** Kills the API during a thousand runs. @returns milliseconds from its readiness until all workers are ready, and the run summary */
async function killApiDuringRuns(installation: BenchInstallation, workers: number, { log }: BenchOptions) {
  await submit(installation, workers, stepping);
  const previouslyCompleted = (await runsOf(installation)).completed;
  const startedAt = await installation.killApi();
  const upMs = performance.now() - startedAt;
  await allConnected(installation, workers);
  const backMs = performance.now() - startedAt;
  log(
    `API back after ${upMs.toFixed(0)} ms, all workers after ${backMs.toFixed(0)} ms; ${previouslyCompleted} runs had completed before`,
  );
  await until('all runs completed', async () => (await runsOf(installation)).completed === workers, 180_000, 500);
  const endedMs = performance.now() - startedAt;
  return { before: previouslyCompleted, upMs, backMs, endedMs, ...(await runsOf(installation)) };
}

export const thousandWorkers: Bench = async (options) => {
  const workers = forSize(options, { smoke: SMOKE_WORKERS, short: WORKERS, full: WORKERS });
  const idleMs = forSize(options, { smoke: SMOKE_IDLE_MS, short: IDLE_MS, full: IDLE_MS });
  const bare = await bareCore(workers, idleMs);
  options.log(`a bare server: ${bare.toFixed(1)} % of a core`);
  const installation = await BenchInstallation.start(options);
  try {
    const api = installation.api?.pid ?? 0;
    await rest(3_000);
    const empty = pssOf([api]);
    const loadGenerator = await installation.addLoadGenerator(workers);
    const joinedMs = await allConnected(installation, workers);
    options.log(`all workers are here after ${joinedMs.toFixed(0)} ms`);
    await rest(10_000);
    const systemPids = installation.pids().filter((pid) => pid !== api && !treeOf([loadGenerator.pid]).includes(pid));
    const [idle, servers, theirs] = await Promise.all([
      coreOf([api], idleMs),
      coreOf(systemPids, idleMs),
      coreOf([loadGenerator.pid], idleMs),
    ]);
    const full = pssOf([api]);
    options.log(
      `idle: API ${idle.toFixed(1)} %, PostgreSQL and Redis ${servers.toFixed(1)} %, the workers ${theirs.toFixed(1)} % of a core; API ${empty.toFixed(0)} → ${full.toFixed(0)} MB`,
    );
    const fall = await killApiDuringRuns(installation, workers, options);
    return {
      figures: [
        plain('core of the API with 1,000 idle workers', round(idle, 1), '%'),
        plain('against a bare ws server', round(idle / bare), '×'),
        plain('core of PostgreSQL and Redis meanwhile', round(servers, 1), '%'),
        plain('memory of the API for each worker', round((1024 * (full - empty)) / workers, 0), 'kB'),
        plain('first connection of all 1,000', round(joinedMs, 0), 'ms'),
        plain('API killed until it is ready again', round(fall.upMs, 0), 'ms'),
        plain('ready again until all 1,000 workers are back', round(fall.backMs - fall.upMs, 0), 'ms'),
        plain('runs that began anew because of it', fall.again, ''),
        atMost(
          'runs lost, ended twice, or with gaps',
          workers - fall.completed + fall.ends - workers + fall.gaps,
          0,
          '',
        ),
      ],
      raw: { workers, bare, idle, servers, theirs, empty, full, joinedMs, fall },
    };
  } finally {
    await installation.stop();
  }
};
