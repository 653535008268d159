/**
 * Speed and memory of exports of datasets, and speed of deduplication and scoring, in a process of the job runner with a folder as object store.
 * There is no equivalent program, so the targets are absolute.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atLeast, atMost, forSize, plain, type Bench } from '../harness/bench.ts';
import { measureScoring } from '../harness/trace-scoring.ts';
import { round } from '../harness/statistics.ts';

const execute = promisify(execFile);

const PROGRAM = join(import.meta.dirname, '../harness/export-measurement.ts');
const TIMEOUT_MS = 1_800_000;
const MIB = 1024 * 1024;

/** Targets. */
const MIN_STEPS_PER_SECOND = 2_000;
const MAX_MEMORY_MIB = 512;

/** Heap limit of the process. */
const HEAP_MIB = 256;

interface Measurement {
  readonly steps: number;
  readonly seconds: number;
  readonly maxRssBytes: number;
  readonly duplicates: { readonly stepsPerSecond: number; readonly indexBytes: number };
}

async function measure(steps: number, screenshots: number, format: string): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-learning-'));
  try {
    // Without a limit, the heap grows until a collection is worth it.
    const args = [
      '--expose-gc',
      `--max-old-space-size=${HEAP_MIB}`,
      '--experimental-transform-types',
      '--no-warnings',
      PROGRAM,
    ];
    const { stdout } = await execute(process.execPath, [...args, folder, String(steps), String(screenshots), format], {
      timeout: TIMEOUT_MS,
    });
    return JSON.parse(stdout) as Measurement;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const speed = ({ steps, seconds }: Measurement) => round(steps / seconds);

export const learning: Bench = async (options) => {
  const divisor = forSize(options, { smoke: 100, short: 1, full: 1 });
  const copied = await measure(5_000 / divisor, 5_000 / divisor, 'llamafactory');
  const shared = await measure(20_000 / divisor, 1_000 / divisor, 'llamafactory');
  const embedded = await measure(5_000 / divisor, 1_000 / divisor, 'together');
  const many = await measure(forSize(options, { smoke: 1_000, short: 100_000, full: 1_000_000 }), 0, 'trl');
  const scoring = await measureScoring(options, forSize(options, { smoke: 2, short: 100, full: 500 }));
  return {
    figures: [
      atLeast('export, every screenshot copied', speed(copied), MIN_STEPS_PER_SECOND, 'steps/s'),
      plain('export, a screenshot for 20 steps copied', speed(shared), 'steps/s'),
      plain('export, screenshots embedded', speed(embedded), 'steps/s'),
      plain('export without screenshots', speed(many), 'steps/s'),
      atMost(`memory at ${many.steps} steps`, round(many.maxRssBytes / MIB), MAX_MEMORY_MIB, 'MiB'),
      plain('deduplication', round(many.duplicates.stepsPerSecond), 'steps/s'),
      plain('memory of the index of duplicates', round(many.duplicates.indexBytes / MIB), 'MiB'),
      plain('scoring, the model answers at once', round(scoring.turns / scoring.seconds), 'turns/s'),
    ],
    raw: { scoring, copied, shared, embedded, many },
  };
};
