/**
 * Loads exports of all formats with the libraries of trainers. Usage: `node scripts/check-exports/main.ts [--steps 200] [--trainers]`.
 * `--trainers` uses the loaders of LLaMA-Factory, ms-swift and TRL, which need about 12 GB of disk. Without PyPI the check is skipped.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkExports } from './run-check.ts';

const { values } = parseArgs({
  options: { steps: { type: 'string', default: '200' }, trainers: { type: 'boolean', default: false } },
});
const steps = Number(values.steps);
if (!Number.isInteger(steps) || steps < 10) throw new Error('--steps must be a whole number of at least 10');

const folder = await mkdtemp(join(tmpdir(), 'check-exports-'));
try {
  const { status, output } = await checkExports({ folder, steps, hasTrainers: values.trainers });
  console.log(output);
  if (status === 'failed') process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
