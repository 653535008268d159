import { execFile, type ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CaseResult } from './case-runner.ts';
import { environment } from './chaos-environment.fixture.ts';
import { MINIMUM } from './case-plan.ts';
import { undercoveredHits } from './report/failpoint-coverage.ts';

/** Time limit of the full set. A quiet machine needs ten minutes; a busy one needs longer. */
const HANG_MS = 25 * 60_000;

interface Report {
  readonly seed: string;
  readonly minutes: number;
  readonly code: number;
  readonly cases: readonly Omit<CaseResult, 'logs' | 'evidence'>[];
  readonly stderr: string;
}

let child: ChildProcess | undefined;

/** Number of cases to run, from PILOTHOUSE_CHAOS_CASES; null: the full set. */
const caseLimit = environment().PILOTHOUSE_CHAOS_CASES ? Number(environment().PILOTHOUSE_CHAOS_CASES) : null;

/** Runs chaos-cli.ts with the full set, or with its first cases. The report contains the seed, so that a failed case can be repeated. */
function runCli(): Promise<Report> {
  const args = [
    join(import.meta.dirname, 'chaos-cli.ts'),
    '--json',
    '--out',
    join(tmpdir(), 'pilothouse-chaos-failures'),
  ];
  const { PILOTHOUSE_CHAOS_SEED: seed, PILOTHOUSE_CHAOS_FAILPOINTS: failpoints } = environment();
  return new Promise((resolve, reject) => {
    const running = execFile(
      process.execPath,
      [
        ...args,
        ...(seed ? ['--seed', seed] : []),
        ...(caseLimit === null ? [] : ['--cases', String(caseLimit)]),
        ...(caseLimit !== null && failpoints ? ['--failpoints', failpoints] : []),
      ],
      { env: environment(), maxBuffer: 64 * 1024 * 1024 },
      (_, stdout, stderr) => {
        const report = stdout.split('\n').find((line) => line.startsWith('{"seed"'));
        if (report === undefined) return reject(new Error(`The suite came to no end:\n${stderr.slice(-4_000)}`));
        resolve({ ...(JSON.parse(report) as Report), code: running.exitCode ?? 1, stderr: stderr });
      },
    );
    child = running;
  });
}

let report: Report;
beforeAll(async () => {
  report = await runCli();
}, HANG_MS);
// The time is over: the running cases are the last ones.
afterAll(() => child?.kill('SIGTERM'));

test('every case passes and leaves nothing behind', () => {
  const problemLine = /^(FAILED|      |Reached too rarely|Ran fewer than)/;
  const problems = report.stderr.split('\n').filter((line) => problemLine.test(line));
  expect(problems.map((line) => `${report.seed} ${line}`)).toEqual([]);
  expect(report.code).toBe(0);
});

if (caseLimit === null) {
  test('each failpoint was reached often enough, with recovery, without recovery and by killed processes', () => {
    expect(undercoveredHits(report.cases)).toEqual([]);
  });

  test('at least 200 cases ran, 30 of them in a real browser', () => {
    expect(report.cases.length).toBeGreaterThanOrEqual(MINIMUM.cases);
    expect(report.cases.filter(({ surface }) => surface === 'browser').length).toBeGreaterThanOrEqual(MINIMUM.browsers);
  });
} else {
  test('as many cases ran as the limit says, and those of the changed failpoints', () => {
    expect(report.cases.length).toBeGreaterThanOrEqual(caseLimit);
    const failpoints = (environment().PILOTHOUSE_CHAOS_FAILPOINTS ?? '').split(',').filter(Boolean);
    const faults = new Set(report.cases.map(({ fault }) => fault));
    expect(failpoints.filter((name) => !faults.has(name))).toEqual([]);
  });
}
