/**
 * Throughput in runs per second against plain BullMQ jobs on the same Redis, alternating. Each queued run has one empty
 * step on a null surface. Its lease, epoch, events and result are durable in PostgreSQL.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { atLeast, atMost, plain, type Bench } from '../harness/bench.ts';
import { BenchInstallation } from '../harness/bench-installation.ts';
import { median, round } from '../harness/statistics.ts';
import { drain, pauseFleets, analyzeRuns, insertRuns, submit, type Drain } from '../harness/empty-run-load.ts';
import { until } from '../harness/settle.ts';
import { cpuOf } from '../harness/process-memory.ts';
import type { PeerAnswer, PeerRequest } from '../peers/bullmq-peer.ts';

/** Concurrent runs of the worker. A run waits for two commits, which concurrent runs share. A job waits for none. */
const SLOTS = 1_000;

/** Runs and jobs of one round. */
const TURN = 3_000;

/** Warm-up rounds of both sides: V8 still compiles hot code during the first 30,000 runs. */
const WARM = 12;

/** Queue depths. */
const DEPTHS = [100, 1_000, 10_000, 100_000];

/** Drains per depth: one takes half a second or less. */
const DRAINS = 5;

/** A round, and its CPU milliseconds per run in all processes. */
type Turn = Drain & { cpuMs: number };

async function peerTurn(
  installation: BenchInstallation,
  peer: ChildProcess,
): Promise<PeerAnswer & { perSecond: number; cpuMs: number }> {
  const request: PeerRequest = { jobs: TURN };
  const pids = [peer.pid ?? 0, installation.redis.identity.pid];
  const previousCpu = cpuOf(pids);
  peer.send(request);
  const [answer] = (await once(peer, 'message')) as [PeerAnswer];
  const cpuMs = (cpuOf(pids) - previousCpu) / TURN;
  return { ...answer, perSecond: (1000 * TURN) / (answer.addMs + answer.processMs), cpuMs };
}

/** A round of the product, with its CPU time. */
async function ourTurn(installation: BenchInstallation): Promise<Turn> {
  const previousCpu = cpuOf(installation.pids());
  const drained = await drain(installation, TURN);
  return { ...drained, cpuMs: (cpuOf(installation.pids()) - previousCpu) / TURN };
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

/** Deletes all runs, so that each round starts with equal tables and a checkpointed log. */
async function clear(installation: BenchInstallation): Promise<void> {
  await rest(installation);
  await installation.rows('TRUNCATE run, lease, run_step, run_event, safe_point, artifact');
  await installation.rows('CHECKPOINT');
}

async function fill(installation: BenchInstallation, depth: number): Promise<void> {
  await clear(installation);
  await submit(installation, 1);
  await insertRuns(installation, depth - 1);
}

/** Drains a queue of this depth repeatedly; refills it unless it is long. @returns median of the runs per second */
async function drainOf(installation: BenchInstallation, depth: number): Promise<number> {
  const drains: Drain[] = [];
  for (let turn = 0; turn < DRAINS; turn += 1) {
    if (turn > 0 && depth > 5 * DRAINS * TURN) await rest(installation);
    else await fill(installation, depth);
    drains.push(await drain(installation, Math.min(depth, TURN)));
  }
  return median(drains.map(({ perSecond }) => perSecond));
}

export const dispatch: Bench = async (options) => {
  const turns = options.full ? 7 : 3;
  const installation = await BenchInstallation.start({ ...options, slots: SLOTS });
  const peer = fork(join(import.meta.dirname, '../peers/bullmq-peer.ts'), [installation.redis.url]);
  try {
    await once(peer, 'message');
    await installation.addWorker(SLOTS, { PILOTHOUSE_SURFACE: 'null' });
    const drains: Turn[] = [];
    const submitted: number[] = [];
    const peers: Awaited<ReturnType<typeof peerTurn>>[] = [];
    for (let turn = -WARM; turn < turns; turn += 1) {
      const bare = await peerTurn(installation, peer);
      await clear(installation);
      const ms = await submit(installation, TURN);
      await analyzeRuns(installation);
      const drained = await ourTurn(installation);
      if (turn < 0) continue;
      peers.push(bare);
      submitted.push((1000 * TURN) / ms);
      drains.push(drained);
      options.log(`${drained.perSecond.toFixed(0)} runs/s, BullMQ ${bare.perSecond.toFixed(0)} jobs/s`);
    }
    const depths: Record<string, number> = {};
    for (const depth of DEPTHS) {
      depths[depth] = round(await drainOf(installation, depth), 0);
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
        ...DEPTHS.map((depth) => plain(`drained of ${depth} queued`, depths[depth] ?? NaN, '/s')),
      ],
      raw: {
        slots: SLOTS,
        turn: TURN,
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
