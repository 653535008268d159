/** Throughput of scoring: the job runner as a process, with a model that answers at once. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startModels } from '@pilothouse/testing/model-server/model-server';
import { BenchInstallation, type BenchInstallationOptions } from './bench-installation.ts';
import { until } from './settle.ts';

const execute = promisify(execFile);

const PROGRAM = join(import.meta.dirname, 'insert-recorded-runs.ts');

const TURNS_OF_RUN = 10;

const TIMEOUT_MS = 600_000;

/** Result of a measurement. */
export interface ScoringSpeed {
  readonly turns: number;
  readonly seconds: number;
  readonly modelCalls: number;
}

/** Scores finished runs of ten turns each: one job a run. The model scores each turn. */
export async function measureScoring(options: BenchInstallationOptions, runs: number): Promise<ScoringSpeed> {
  const models = await startModels();
  models.policy = () => ({ text: JSON.stringify({ quality: 'good', reason: 'The click opens the order.' }) });
  const installation = await BenchInstallation.start(options);
  try {
    const node = ['--experimental-transform-types', '--no-warnings', PROGRAM];
    await execute(process.execPath, [...node, String(runs), String(TURNS_OF_RUN)], {
      env: installation.jobRunnerEnvironment(),
      timeout: TIMEOUT_MS,
    });
    const startedAt = performance.now();
    await installation.addJobRunner({
      PILOTHOUSE_MODEL: 'gemini/gemini-2.5-flash',
      GEMINI_API_KEY: 'key-of-gemini',
      GEMINI_BASE_URL: models.url,
    });
    await until('all runs are scored', () => isScored(installation), TIMEOUT_MS);
    const seconds = (performance.now() - startedAt) / 1000;
    const [scored] = await installation.rows<{ turns: number }>('SELECT count(*)::int AS turns FROM trace_step');
    return { turns: scored?.turns ?? 0, seconds, modelCalls: models.requests.length };
  } finally {
    await installation.stop();
    await models.close();
  }
}

async function isScored(installation: BenchInstallation): Promise<boolean> {
  const rows = await installation.rows<{ status: string; error: unknown }>(
    `SELECT status, error FROM job WHERE status <> 'completed'`,
  );
  const failed = rows.find(({ status }) => status === 'failed');
  if (failed) throw new Error(`A job of scoring failed: ${JSON.stringify(failed.error)}`);
  return rows.length === 0;
}
