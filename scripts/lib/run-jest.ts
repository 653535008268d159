/** Runs jest as a child process and reads what its file reporter wrote. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from './test-times.ts';

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

const NODE_OPTIONS = [
  '--import',
  join(root, 'scripts/jest/typescript-hooks.ts'),
  '--no-warnings',
  join(root, 'node_modules/jest/bin/jest.js'),
];

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

/** Minutes without the end of a spec file after which jest is stopped. The full chaos set is one file of up to 25 minutes. */
const MAX_SILENT_MINUTES = 35;

/**
 * Runs jest with the given arguments and environment. Its output goes to the terminal. Files without a report did not end;
 * the caller compares the reports with the files that it wanted.
 */
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
  const startedMs = Date.now();
  let isSilent = false;
  const watchdog = setInterval(() => {
    const lastReportMs = existsSync(report) ? statSync(report).mtimeMs : startedMs;
    isSilent ||= Date.now() - lastReportMs > MAX_SILENT_MINUTES * 60_000;
    if (isSilent) child.kill('SIGKILL');
  }, 10_000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(watchdog);
  const lines = existsSync(report) ? readFileSync(report, 'utf8').split('\n').filter(Boolean) : [];
  rmSync(folder, { recursive: true, force: true });
  const reports = lines.map((line) => JSON.parse(line) as FileReport);
  const files = reports.map((each) => ({ ...each, file: relative(root, each.file) }));
  if (isSilent) return { files, problem: `jest was stopped: no spec file ended in ${MAX_SILENT_MINUTES} minutes` };
  const isUnexplained = code !== 0 && files.every(({ failed }) => failed === 0);
  return { files, problem: isUnexplained ? `jest failed with exit code ${code}` : null };
}
