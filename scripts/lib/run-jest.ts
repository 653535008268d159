/** Runs jest as a child process and reads what its file reporter wrote. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** The counts of one spec file; a file that could not be loaded has one failure. */
export interface FileReport {
  /** Path from the root of the repository. */
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** The first failure, with its stack. */
  readonly error: string | null;
}

export interface JestRun {
  readonly files: readonly FileReport[];
  /** jest ended without a report, or failed although no file did. */
  readonly problem: string | null;
}

const NODE_OPTIONS = ['--experimental-vm-modules', '--no-warnings', join(root, 'node_modules/jest/bin/jest.js')];

/** Returns the spec files, from the root of the repository, that jest would run. */
export async function listSpecs(args: readonly string[]): Promise<string[]> {
  const child = spawn(process.execPath, [...NODE_OPTIONS, '--listTests', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(child, 'close');
  return text
    .split('\n')
    .filter((line) => line.endsWith('.spec.ts'))
    .map((line) => relative(root, line));
}

/** Runs jest with the given arguments and environment. Its output goes to the terminal. */
export async function runJest(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<JestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-jest-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporters=default', `--reporters=${join(root, 'scripts/jest/file-reporter.ts')}`];
  const child = spawn(process.execPath, [...NODE_OPTIONS, ...reporters, ...args], {
    cwd: root,
    env: { ...process.env, ...env, PILOTHOUSE_TEST_REPORT: report },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const [code] = (await once(child, 'close')) as [number | null];
  try {
    const reports = JSON.parse(readFileSync(report, 'utf8')) as FileReport[];
    const files = reports.map((each) => ({ ...each, file: relative(root, each.file) }));
    const isUnexplained = code !== 0 && files.every(({ failed }) => failed === 0);
    return { files, problem: isUnexplained ? `jest failed with exit code ${code}` : null };
  } catch {
    return { files: [], problem: `jest wrote no report (exit code ${code})` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
