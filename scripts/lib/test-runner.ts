/** Checks, then all spec files, suite by suite. With arguments: only the spec files they name, without checks. See scripts/test. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { suiteOf, suites, type Need } from '../jest/suites.ts';
import { changedFailpoints, changedFiles, selectAffected, type Selection } from './affected-specs.ts';
import { runChecks } from './checks.ts';
import { retryFailedFiles } from './flaky-retry.ts';
import { listSpecs, runJest, type FileReport } from './run-jest.ts';
import { smokeSpecs } from './smoke-specs.ts';
import { readSourceGraph } from './source-graph.ts';
import { readTestOptions, type TestOptions } from './test-options.ts';
import { startTestServers } from './test-servers.ts';
import { budgetExcess, formatTestTimes, readTestTimes, root, storeTestTimes } from './test-times.ts';

const options = optionsOf(process.argv.slice(2));
/** True if the run covers the repository: with `--since`, the part of it that a commit can affect. */
const isFullRun = options.patterns.length === 0;
const isRetrying = process.env.CI === '1' || process.env.CI === 'true' || options.isRetrying;
const { timeLimit } = options;

/** Ends the process with a message and a result line if an option is invalid. */
function optionsOf(args: readonly string[]): TestOptions {
  try {
    return readTestOptions(args);
  } catch (error) {
    console.log(`${error instanceof Error ? error.message : String(error)}\n0 passed, 1 failed`);
    return process.exit(1);
  }
}

/**
 * Spec files at a time. Specs with servers and browsers wait for them most of the time: more files than cores keep the cores busy.
 * Chaos measures recovery times and runs alone.
 */
const PARALLEL_FILES: Readonly<Record<string, number>> = { db: 4, process: 3, browser: 3, e2e: 3, chaos: 1 };

const workersOf = (suite: string) =>
  options.jestOptions.some((option) => /^(--maxWorkers|-w|--runInBand|-i)\b/.test(option))
    ? []
    : [`--maxWorkers=${PARALLEL_FILES[suite] ?? 2}`];

/** With more changed failpoints than this, a larger random sample of chaos cases runs instead of all of their cases. */
const MAX_CHANGED_FAILPOINTS = 6;
const LARGE_CHAOS_SAMPLE = 40;

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

/** Returns the spec files to run, and the chaos cases that the change requires. Prints what is not selected. */
async function select(): Promise<{ specs: readonly string[]; env: Record<string, string> }> {
  const specs = await listSpecs([...options.jestOptions, ...options.patterns]);
  if (options.since === null) return { specs, env: {} };
  for (const file of options.included)
    if (!specs.includes(file)) console.log(`--include ${file}: there is no such spec file`);
  const changed = changedFiles(root, options.since);
  const selection: Selection = changed
    ? selectAffected(readSourceGraph(root), specs, changed, [...Object.values(smokeSpecs), ...options.included])
    : { selected: new Set(specs), fullRunReason: `this repository has no commit ${options.since}` };
  if (selection.fullRunReason) console.log(`All spec files run: ${selection.fullRunReason}.`);
  const notSelected = specs.filter((file) => !selection.selected.has(file));
  const listFile = join(root, '.pilothouse/not-selected.txt');
  mkdirSync(join(root, '.pilothouse'), { recursive: true });
  writeFileSync(listFile, notSelected.map((file) => `${file}\n`).join(''));
  for (const [suite, files] of Map.groupBy(notSelected, suiteOf))
    console.log(
      `NOT SELECTED ${suite}: ${files.length} spec files, which the change since ${options.since} does not reach`,
    );
  if (notSelected.length > 0) console.log(`NOT SELECTED: the list of files is ${listFile}`);
  const exists = (changed ?? []).filter((file) => existsSync(join(root, file)));
  const failpoints = changedFailpoints(exists, (file) => readFileSync(join(root, file), 'utf8'));
  return {
    specs: specs.filter((file) => selection.selected.has(file)),
    env: chaosEnvironment(failpoints),
  };
}

/** Extends a limited chaos suite by the cases of changed failpoints. */
function chaosEnvironment(failpoints: readonly string[]): Record<string, string> {
  if (!process.env.PILOTHOUSE_CHAOS_CASES || failpoints.length === 0) return {};
  return failpoints.length > MAX_CHANGED_FAILPOINTS
    ? { PILOTHOUSE_CHAOS_CASES: String(Math.max(Number(process.env.PILOTHOUSE_CHAOS_CASES), LARGE_CHAOS_SAMPLE)) }
    : { PILOTHOUSE_CHAOS_FAILPOINTS: failpoints.join(',') };
}

/** Runs the spec files of one suite and prints its summary. */
async function runSuite(
  suite: string,
  specs: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly FileReport[]> {
  const startedAt = performance.now();
  const run = await runJest([...workersOf(suite), ...options.jestOptions, '--runTestsByPath', ...specs], env, signal);
  if (run.problem) {
    console.log(`${suite}: ${run.problem}`);
    count.failed += 1;
  }
  const reported = new Set(run.files.map(({ file }) => file));
  for (const file of specs.filter((spec) => !reported.has(spec))) {
    console.log(`FAILED ${file}: it did not run`);
    count.failed += 1;
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(`${suite}: ${reported.size} of ${specs.length} spec files in ${Math.round(seconds)} s`);
  const excess = budgetExcess(suite, seconds);
  if (excess) console.log(excess);
  const timed = run.files.filter(({ passed, failed }) => passed > 0 && failed === 0);
  if (options.jestOptions.length === 0)
    storeTestTimes(Object.fromEntries(timed.map((file) => [file.file, file.seconds])));
  return run.files;
}

/** Retries failed files once and reports the flaky ones. */
async function retry(
  files: readonly FileReport[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly FileReport[]> {
  const retried = await retryFailedFiles(files, async (file) => {
    if (timeLimit?.hasExpired({ graceMinutes: RETRY_GRACE_MINUTES })) {
      console.log(`NOT RETRIED ${file}: time limit reached`);
      return undefined;
    }
    const single = await runJest(
      ['--maxWorkers=1', '--runTestsByPath', file],
      { ...env, PILOTHOUSE_TEST_DEADLINE: '' },
      signal,
    );
    return single.files[0];
  });
  for (const { file, error } of retried.flaky) {
    console.log(`FLAKY ${file} (${error?.split('\n')[0]?.slice(0, 200)})`);
    appendFileSync(
      join(root, '.pilothouse/flaky.jsonl'),
      `${JSON.stringify({ at: new Date().toISOString(), file, error })}\n`,
    );
  }
  return retried.files;
}

async function runSuites(signal: AbortSignal): Promise<void> {
  const { specs, env: changeEnv } = await select();
  const selected = Map.groupBy(specs, suiteOf);
  const running = suites.filter(({ name }) => selected.has(name));
  if (running.length === 0) throw new Error('No spec file matches');
  // Unit specs need no server, so that they run beside the checks.
  const unitSpecs = selected.get('unit') ?? [];
  const deadline: Record<string, string> = timeLimit ? { PILOTHOUSE_TEST_DEADLINE: String(timeLimit.endsAt) } : {};
  const files: FileReport[] = [];
  const checks = isFullRun ? runChecks() : Promise.resolve([]);
  if (unitSpecs.length > 0 && !signal.aborted) files.push(...(await runSuite('unit', unitSpecs, deadline, signal)));
  for (const { ok } of await checks) count[ok ? 'passed' : 'failed'] += 1;
  const withServers = running.filter(({ name }) => name !== 'unit');
  const needs = new Set(withServers.flatMap((suite) => suite.needs));
  const installed = withServers.length === 0 ? {} : install(needs);
  const logs = join(root, '.pilothouse/logs');
  mkdirSync(logs, { recursive: true });
  const logFile = join(logs, 'test-servers.log');
  writeFileSync(logFile, '');
  const servers = await startTestServers(process.env, logFile, needs);
  const env = {
    // The specs start the bundles hundreds of times.
    NODE_COMPILE_CACHE: join(root, '.pilothouse/compile-cache'),
    ...deadline,
    ...changeEnv,
    ...installed,
    ...servers.env,
  };
  try {
    for (const { name } of withServers)
      if (!signal.aborted) files.push(...(await runSuite(name, selected.get(name) ?? [], env, signal)));
    const results = isRetrying && !signal.aborted ? await retry(files, env, signal) : files;
    for (const { file, passed, failed, skipped } of results) {
      count.passed += passed;
      count.failed += failed + skipped;
      if (failed > 0) console.log(`FAILED ${file}: ${failed} of ${passed + failed}`);
      if (skipped > 0) console.log(`FAILED ${file}: ${skipped} skipped tests count as failed`);
    }
  } finally {
    await servers.stop();
  }
}

if (options.hasTimes) {
  console.log(formatTestTimes(readTestTimes()));
  process.exit(0);
}
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interrupted.abort());
try {
  if (isFullRun) reportSkipped();
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
