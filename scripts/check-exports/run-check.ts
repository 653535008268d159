import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { writeSyntheticExports } from './synthetic-exports.ts';

const execute = promisify(execFile);

/** Environments of Python, by the hash of their requirements. */
const CACHE = join(import.meta.dirname, '../../.pilothouse/cache/check-exports');

const INSTALL_TIMEOUT_MS = 1_800_000;
const CHECK_TIMEOUT_MS = 3_600_000;

interface CheckOptions {
  /** Folder for the exports. */
  readonly folder: string;
  readonly steps: number;
  /** Uses the loaders of the trainers. */
  readonly hasTrainers: boolean;
}

interface CheckResult {
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly output: string;
}

/** Trainers. Their requirements exclude each other, so that each has its own environment. */
const TRAINERS = ['llamafactory', 'swift', 'trl'] as const;

/** Writes exports of all formats, and loads them in Python. */
export async function checkExports({ folder, steps, hasTrainers }: CheckOptions): Promise<CheckResult> {
  const python = await preparePython('requirements.txt');
  if ('reason' in python) return skipped(python.reason);
  await writeSyntheticExports(folder, steps);
  const result = await runPython(python.path, 'check_exports.py', [folder]);
  if (!hasTrainers || result.status === 'failed') return result;
  const results = [result];
  for (const trainer of TRAINERS) {
    const environment = await preparePython(`requirements-${trainer}.txt`);
    if ('reason' in environment) results.push(skipped(environment.reason));
    else results.push(await runPython(environment.path, 'check_trainers.py', [folder, trainer]));
  }
  const status = results.some((result) => result.status === 'failed') ? 'failed' : 'passed';
  return { status, output: results.map(({ output }) => output.trim()).join('\n') };
}

const skipped = (reason: string): CheckResult => ({ status: 'skipped', output: `check-exports: skipped: ${reason}` });

async function runPython(python: string, script: string, args: readonly string[]): Promise<CheckResult> {
  try {
    const { stdout } = await execute(python, [join(import.meta.dirname, script), ...args], {
      timeout: CHECK_TIMEOUT_MS,
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, HF_DATASETS_OFFLINE: '1', HF_HUB_OFFLINE: '1', TOKENIZERS_PARALLELISM: 'false' },
    });
    return { status: 'passed', output: stdout };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { status: 'failed', output: `${stdout}\n${stderr.slice(-4000)}` };
  }
}

/** Installs the requirements once. @returns path of Python, or the reason why it cannot be used */
async function preparePython(requirements: string): Promise<{ path: string } | { reason: string }> {
  const file = join(import.meta.dirname, requirements);
  const hash = createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 12);
  const environment = join(CACHE, hash);
  const path = join(environment, 'bin/python');
  const isInstalled = await access(join(environment, 'installed')).then(
    () => true,
    () => false,
  );
  if (isInstalled) return { path };
  const unfinished = `${environment}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await rm(environment, { recursive: true, force: true });
  await mkdir(dirname(environment), { recursive: true });
  try {
    await execute('python3', ['-m', 'venv', environment]);
  } catch {
    return { reason: 'Python 3 with venv is not installed' };
  }
  try {
    const options = ['-m', 'pip', 'install', '--quiet', '--retries', '1', '-r', file];
    await execute(path, options, { timeout: INSTALL_TIMEOUT_MS, maxBuffer: 16 * 1024 * 1024 });
    await execute('touch', [join(environment, 'installed')]);
    return { path };
  } catch (error) {
    await rename(environment, unfinished).catch(() => undefined);
    await rm(unfinished, { recursive: true, force: true });
    const lines = String((error as { stderr?: string }).stderr ?? error).trim();
    return { reason: `the packages cannot be installed from PyPI: ${lines.split('\n').at(-1) ?? ''}` };
  }
}
