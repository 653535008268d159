/** Checks, then all spec files, suite by suite. With arguments: only the spec files they name, without checks. See scripts/test. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { suiteOf, suites, type Need } from '../jest/suites.ts';
import { runChecks } from './checks.ts';
import { retryFailedFiles } from './flaky-retry.ts';
import { listSpecs, root, runJest, type FileReport } from './run-jest.ts';
import { startTestServers } from './test-servers.ts';
import { extractTimeLimit, type TimeLimit } from './time-limit.ts';

const args = process.argv.slice(2);
const isFullRun = args.length === 0;
const isRetrying = process.env.CI === '1' || process.env.CI === 'true' || args.includes('--retry-flaky');
const { timeLimit, rest } = timeLimitOf(args);
const jestArgs = rest.filter((argument) => argument !== '--retry-flaky');

/** Options of jest that take the next argument as their value. */
const VALUE_OPTIONS = new Set(['-t', '--testNamePattern', '--testTimeout', '--seed']);

/** Ends the process with a message and a result line if the option is invalid. */
function timeLimitOf(all: readonly string[]): {
  readonly timeLimit: TimeLimit | null;
  readonly rest: readonly string[];
} {
  try {
    return extractTimeLimit(all);
  } catch (error) {
    console.log(`${error instanceof Error ? error.message : String(error)}\n0 passed, 1 failed`);
    return process.exit(1);
  }
}

/** The options that apply to the selected files; the rest of the arguments selects files. */
const options = jestArgs.filter(
  (argument, index) =>
    (argument.startsWith('-') || VALUE_OPTIONS.has(jestArgs[index - 1] ?? '')) &&
    !/^--(shard|selectProjects|runTestsByPath)/.test(argument),
);

/**
 * Maximum number of spec files per jest process. Node frees no module of a finished file, some 20 MB each. The time
 * limit is checked between processes.
 */
const MAX_FILES_PER_PROCESS = 30;

/**
 * Spec files at a time. Specs with servers and browsers wait for them most of the time: more files than cores keep the cores busy.
 * Chaos measures recovery times and runs alone.
 */
const PARALLEL_FILES: Readonly<Record<string, number>> = { db: 4, process: 3, browser: 3, e2e: 3, chaos: 1 };

const workersOf = (suite: string) =>
  options.some((option) => /^(--maxWorkers|-w|--runInBand|-i)\b/.test(option))
    ? []
    : [`--maxWorkers=${PARALLEL_FILES[suite] ?? 2}`];

/** Minutes after the time limit in which a retry may still start. */
const RETRY_GRACE_MINUTES = 8;

const count = { passed: 0, failed: 0 };

/** Prints one line for each group of tests that this machine cannot run. */
function reportSkipped(): void {
  const has = (program: string) =>
    process.env.PATH?.split(delimiter).some((folder) => existsSync(join(folder, program)));
  if (!process.env.PILOTHOUSE_CLUSTER_TESTS)
    console.log('Left out: the cluster tests. Run them with `scripts/cluster test` where there is a cluster.');
  else if (!process.env.PILOTHOUSE_PREVIOUS_CHART)
    console.log('Left out: the upgrade test. It needs PILOTHOUSE_PREVIOUS_CHART, the chart of the commit before.');
  if (!has('helm')) console.log('Left out: the chart tests, because helm is not on the PATH.');
  if (!has('promtool'))
    console.log('Left out: the promtool checks of metrics and alerts. Install the Debian package prometheus.');
}

/** Installs packages and builds the bundles. Returns the environment of Chromium, where it is needed. */
function install(needs: ReadonlySet<Need>): Record<string, string> {
  const { status } = spawnSync(join(root, 'scripts/setup'), ['--for', 'test'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('scripts/setup failed');
  if (process.env.CHROMIUM_PATH || !needs.has('chromium')) return {};
  const find = `source scripts/lib/common.sh; source scripts/lib/system-packages.sh; find_chromium`;
  const result = spawnSync('bash', ['-c', find], { cwd: root, encoding: 'utf8' });
  if (result.status !== 0) throw new Error('Chromium is missing: install it, or set CHROMIUM_PATH to it');
  return { CHROMIUM_PATH: result.stdout.trim() };
}

async function runSuites(signal: AbortSignal): Promise<void> {
  const selected = Map.groupBy(await listSpecs(jestArgs), suiteOf);
  const running = suites.filter(({ name }) => selected.has(name));
  if (running.length === 0) throw new Error('No spec file matches');
  const needs = new Set(running.flatMap((suite) => suite.needs));
  const isUnitOnly = running.every(({ name }) => name === 'unit');
  const installed = isUnitOnly ? {} : install(needs);
  const logs = join(root, '.pilothouse/logs');
  mkdirSync(logs, { recursive: true });
  const logFile = join(logs, 'test-servers.log');
  writeFileSync(logFile, '');
  const servers = await startTestServers(process.env, logFile, needs);
  // The specs start the bundles hundreds of times.
  const env = { NODE_COMPILE_CACHE: join(root, '.pilothouse/compile-cache'), ...installed, ...servers.env };
  try {
    let files: FileReport[] = [];
    for (const { name } of running) {
      const specs = selected.get(name) ?? [];
      const startedAt = performance.now();
      let runCount = 0;
      while (runCount < specs.length && !signal.aborted && !timeLimit?.hasExpired()) {
        const paths = specs.slice(runCount, runCount + MAX_FILES_PER_PROCESS);
        runCount += paths.length;
        const run = await runJest([...workersOf(name), ...options, '--runTestsByPath', ...paths], env, signal);
        files.push(...run.files);
        if (run.problem) {
          console.log(`${name}: ${run.problem}`);
          count.failed += 1;
        }
      }
      for (const file of specs.slice(runCount)) console.log(`FAILED ${file}: it did not run`);
      count.failed += specs.length - runCount;
      console.log(
        `${name}: ${runCount} of ${specs.length} spec files in ${Math.round((performance.now() - startedAt) / 1_000)} s`,
      );
    }
    if (isRetrying && !signal.aborted) {
      const retried = await retryFailedFiles(files, async (file) => {
        if (timeLimit?.hasExpired({ graceMinutes: RETRY_GRACE_MINUTES })) {
          console.log(`NOT RETRIED ${file}: time limit reached`);
          return undefined;
        }
        const alone = await runJest(['--runInBand', '--runTestsByPath', file], env, signal);
        return alone.files[0];
      });
      files = [...retried.files];
      for (const { file, error } of retried.flaky) {
        console.log(`FLAKY ${file} (${error?.split('\n')[0]?.slice(0, 200)})`);
        appendFileSync(
          join(root, '.pilothouse/flaky.jsonl'),
          `${JSON.stringify({ at: new Date().toISOString(), file, error })}\n`,
        );
      }
    }
    for (const { file, passed, failed, skipped } of files) {
      count.passed += passed;
      count.failed += failed + skipped;
      if (failed > 0) console.log(`FAILED ${file}: ${failed} of ${passed + failed}`);
      if (skipped > 0) console.log(`FAILED ${file}: ${skipped} skipped tests count as failed`);
    }
  } finally {
    await servers.stop();
  }
}

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interrupted.abort());
try {
  if (isFullRun) {
    const results = await runChecks();
    count.passed += results.filter(({ ok }) => ok).length;
    count.failed += results.filter(({ ok }) => !ok).length;
    reportSkipped();
  }
  await runSuites(interrupted.signal);
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
  count.failed += 1;
}
if (interrupted.signal.aborted) {
  console.log('Interrupted.');
  count.failed ||= 1;
}
if (count.passed + count.failed === 0) count.failed = 1;
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;
