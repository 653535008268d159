/** Checks, then jest on real servers. Arguments that are there go to jest, and the checks are left out. See scripts/test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { runChecks } from './checks.ts';
import { startTestServers } from './test-servers.ts';

const root = join(import.meta.dirname, '../..');
const patterns = process.argv.slice(2);

/**
 * Processes that share all tests, one after the other. Node frees no module of a test file that is done: some 20 MB of each stay, and 190
 * files in one process fill its heap of 4 GB.
 */
const SHARES = 5;

/** The part of jest's own report that is counted. */
interface JestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numRuntimeErrorTestSuites: number;
}

interface Count {
  passed: number;
  failed: number;
}

async function checks(): Promise<Count> {
  const results = await runChecks();
  const passed = results.filter(({ ok }) => ok).length;
  return { passed, failed: results.length - passed };
}

/** What jest.config.mjs leaves out, in a line each. */
function sayWhatIsLeftOut(): void {
  const has = (program: string) =>
    process.env.PATH?.split(delimiter).some((folder) => existsSync(join(folder, program)));
  if (!process.env.PILOTHOUSE_CLUSTER_TESTS)
    console.log('Left out: the tests on a Kubernetes cluster. `scripts/cluster test` runs them where there is one.');
  else if (!process.env.PILOTHOUSE_PREVIOUS_CHART)
    console.log('Left out: the upgrade from the commit before, whose chart PILOTHOUSE_PREVIOUS_CHART would name.');
  if (!has('helm')) console.log('Left out: the tests of the chart, because there is no helm on the PATH.');
  if (!has('promtool'))
    console.log('Left out: what promtool says of metrics and alerts. Debian has it in the package prometheus.');
}

/** What is asked of jest, by process. */
const shares = (): readonly string[][] =>
  patterns.length > 0 ? [patterns] : Array.from({ length: SHARES }, (_, index) => [`--shard=${index + 1}/${SHARES}`]);

/** Runs jest; a suite that could not be loaded counts as one failure, and so does a jest that ran nothing. */
async function jest(asked: readonly string[], env: Record<string, string>, signal: AbortSignal): Promise<Count> {
  const dir = mkdtempSync(join(tmpdir(), 'pilothouse-jest-'));
  const file = join(dir, 'report.json');
  const child = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--no-warnings',
      'node_modules/jest/bin/jest.js',
      '--json',
      `--outputFile=${file}`,
      ...asked,
    ],
    // jest prints its report to the standard output as well, which nobody reads; people read its standard error
    { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const [code] = await once(child, 'close');
  try {
    const report: JestReport = JSON.parse(readFileSync(file, 'utf8'));
    const passed = report.numPassedTests;
    const failed = report.numFailedTests + report.numRuntimeErrorTestSuites + report.numPendingTests;
    if (report.numPendingTests > 0) console.log(`${report.numPendingTests} skipped tests count as failed.`);
    if (passed + failed === 0) console.log('No test ran.');
    return { passed, failed: failed || Number(code !== 0 || passed === 0) };
  } catch {
    console.log(`jest ended without a report (code ${code}).`);
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interrupted.abort());

const total: Count = { passed: 0, failed: 0 };
const add = ({ passed, failed }: Count) => {
  total.passed += passed;
  total.failed += failed;
};
try {
  if (patterns.length === 0) add(await checks());
  if (patterns.length === 0) sayWhatIsLeftOut();
  const logs = join(root, '.pilothouse/logs');
  mkdirSync(logs, { recursive: true });
  const logFile = join(logs, 'test-servers.log');
  writeFileSync(logFile, '');
  const servers = await startTestServers(process.env, logFile);
  try {
    for (const asked of shares())
      if (!interrupted.signal.aborted) add(await jest(asked, servers.env, interrupted.signal));
  } finally {
    await servers.stop();
  }
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
  add({ passed: 0, failed: 1 });
}
if (interrupted.signal.aborted) {
  console.log('Interrupted.');
  total.failed ||= 1;
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
