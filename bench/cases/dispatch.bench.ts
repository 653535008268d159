/**
 * Throughput in runs per second against plain BullMQ jobs on the same Redis, alternating. Each queued run has one empty
 * step on a null surface. Its lease, epoch, events and result are durable in PostgreSQL.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { atLeast, atMost, forSize, plain, type Bench, type BenchSize } from '../harness/bench.ts';
import { BenchInstallation } from '../harness/bench-installation.ts';
import { median, round } from '../harness/statistics.ts';
import { drain, pauseFleets, analyzeRuns, insertRuns, submit, type Drain } from '../harness/empty-run-load.ts';
import { until } from '../harness/settle.ts';
import { cpuOf } from '../harness/process-memory.ts';
import type { PeerAnswer, PeerRequest } from '../peers/bullmq-peer.ts';

/** Concurrent runs of the worker. A run waits for two commits, which concurrent runs share. A job waits for none. */
const SLOTS = 1_000;

interface Load {
  /** Rounds against the peer. */
  readonly rounds: number;
  /** Runs and jobs of one round. */
  readonly runs: number;
  /** Warm-up rounds of both sides: V8 still compiles hot code during the first 30,000 runs. */
  readonly warmRounds: number;
  /** Queue depths. */
  readonly depths: readonly number[];
  /** Drains per depth: one takes half a second or less. */
  readonly drains: number;
}

const DEPTHS = [100, 1_000, 10_000, 100_000];

const loads: Readonly<Record<BenchSize, Load>> = {
  smoke: { rounds: 1, runs: 50, warmRounds: 0, depths: [50, 100], drains: 1 },
  short: { rounds: 3, runs: 3_000, warmRounds: 12, depths: DEPTHS, drains: 5 },
  full: { rounds: 7, runs: 3_000, warmRounds: 12, depths: DEPTHS, drains: 5 },
};

/** A round, and its CPU milliseconds per run in all processes. */
type Turn = Drain & { cpuMs: number };

async function peerTurn(
  installation: BenchInstallation,
  peer: ChildProcess,
  jobs: number,
): Promise<PeerAnswer & { perSecond: number; cpuMs: number }> {
  const request: PeerRequest = { jobs };
  const pids = [peer.pid ?? 0, installation.redis.identity.pid];
  const previousCpu = cpuOf(pids);
  peer.send(request);
  const [answer] = (await once(peer, 'message')) as [PeerAnswer];
  const cpuMs = (cpuOf(pids) - previousCpu) / jobs;
  return { ...answer, perSecond: (1000 * jobs) / (answer.addMs + answer.processMs), cpuMs };
}

/** A round of the product, with its CPU time. */
async function ourTurn(installation: BenchInstallation, runs: number): Promise<Turn> {
  const previousCpu = cpuOf(installation.pids());
  const drained = await drain(installation, runs);
  return { ...drained, cpuMs: (cpuOf(installation.pids()) - previousCpu) / runs };
}

/** Pauses the queue and waits until no run is active. */
async function rest(installation: BenchInstallation): Promise<void> {
  await pauseFleets(installation);
  await until('the released runs have ended', async () => {
    const [remaining] = await installation.rows<{ runs: number }>(
      `SELECT count(*)::int AS runs FROM run WHERE status = 'running' OR (status = 'queued' AND admitted_at IS NOT NULL)`,
    );
    return remaining?.runs === 0;
  });
}

/** Deletes all runs and what refers to them, so that each round starts with equal tables and a checkpointed log. */
async function clear(installation: BenchInstallation): Promise<void> {
  await rest(installation);
  await installation.rows('TRUNCATE run, lease, run_step, run_event, safe_point, run_reaction CASCADE');
  await installation.rows('CHECKPOINT');
}

async function fill(installation: BenchInstallation, depth: number): Promise<void> {
  await clear(installation);
  await submit(installation, 1);
  await insertRuns(installation, depth - 1);
}

/** Drains a queue of this depth repeatedly; refills it unless it is long. @returns median of the runs per second */
async function drainOf(installation: BenchInstallation, depth: number, { runs, drains }: Load): Promise<number> {
  const results: Drain[] = [];
  for (let turn = 0; turn < drains; turn += 1) {
    if (turn > 0 && depth > 5 * drains * runs) await rest(installation);
    else await fill(installation, depth);
    results.push(await drain(installation, Math.min(depth, runs)));
  }
  return median(results.map(({ perSecond }) => perSecond));
}

export const dispatch: Bench = async (options) => {
  const load = forSize(options, loads);
  const installation = await BenchInstallation.start({ ...options, slots: SLOTS });
  const peer = fork(join(import.meta.dirname, '../peers/bullmq-peer.ts'), [installation.redis.url]);
  try {
    await once(peer, 'message');
    await installation.addWorker(SLOTS, { PILOTHOUSE_SURFACE: 'null' });
    const drains: Turn[] = [];
    const submitted: number[] = [];
    const peers: Awaited<ReturnType<typeof peerTurn>>[] = [];
    for (let turn = -load.warmRounds; turn < load.rounds; turn += 1) {
      const bare = await peerTurn(installation, peer, load.runs);
      await clear(installation);
      const ms = await submit(installation, load.runs);
      await analyzeRuns(installation);
      const drained = await ourTurn(installation, load.runs);
      if (turn < 0) continue;
      peers.push(bare);
      submitted.push((1000 * load.runs) / ms);
      drains.push(drained);
      options.log(`${drained.perSecond.toFixed(0)} runs/s, BullMQ ${bare.perSecond.toFixed(0)} jobs/s`);
    }
    const depths: Record<string, number> = {};
    for (const depth of load.depths) {
      depths[depth] = round(await drainOf(installation, depth, load), 0);
      options.log(`${depths[depth]} runs/s of ${depth} queued`);
    }
    const rate = median(drains.map(({ perSecond }) => perSecond));
    const bare = median(peers.map(({ perSecond }) => perSecond));
    const measured = Object.values(depths);
    const spread = 1 - Math.min(...measured) / Math.max(...measured);
    return {
      figures: [
        atLeast(
          'empty runs, against bare BullMQ',
          median(drains.map(({ perSecond }, turn) => perSecond / (peers[turn]?.perSecond ?? NaN))),
          0.4,
          '×',
        ),
        plain('empty runs drained', round(rate, 0), '/s'),
        plain('BullMQ, jobs added and processed', round(bare, 0), '/s'),
        plain('core time of a run, in all processes', round(median(drains.map(({ cpuMs }) => cpuMs))), 'ms'),
        plain('core time of a BullMQ job', round(median(peers.map(({ cpuMs }) => cpuMs))), 'ms'),
        plain('runs submitted by REST', round(median(submitted), 0), '/s'),
        atMost('100 to 100,000 queued: slowest against fastest', 100 * spread, 20, '% slower'),
        ...load.depths.map((depth) => plain(`drained of ${depth} queued`, depths[depth] ?? NaN, '/s')),
      ],
      raw: {
        slots: SLOTS,
        turn: load.runs,
        drains,
        peers,
        submitted,
        depths,
        loadedBy: 'SQL, as the submission of one run by REST wrote it',
      },
    };
  } finally {
    peer.disconnect();
    await installation.stop();
  }
};
