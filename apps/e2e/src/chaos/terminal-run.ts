import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serverOfS3 } from '../harness/servers.fixture.ts';
import type { CaseResult } from './case-runner.ts';
import type { S3Server } from './system/object-store.ts';
import { FULL_SET_SIZE, MINIMUM } from './case-plan.ts';
import { writeFailures } from './report/failure-folder.ts';
import { describeHit, undercoveredHits } from './report/failpoint-coverage.ts';
import { hitTable, table } from './report/outcome-table.ts';
import { runSuite } from './chaos-suite.ts';

/*
 * The chaos suite on the terminal; see chaos-cli.ts.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    cases: { type: 'string' },
    soak: { type: 'string' },
    minutes: { type: 'string', default: '18' },
    systems: { type: 'string', default: '4' },
    case: { type: 'string' },
    fitting: { type: 'string' },
    failpoints: { type: 'string' },
    out: { type: 'string', default: join(tmpdir(), 'pilothouse-chaos-report') },
    json: { type: 'boolean', default: false },
  },
});

const seed = values.seed ?? String(randomInt(1_000_000));
const only = values.case === undefined ? undefined : new Set(values.case.split(',').map(Number));
const isFullSet =
  only === undefined && values.fitting === undefined && values.soak === undefined && values.cases === undefined;
const cases = values.soak === undefined ? Number(values.cases ?? FULL_SET_SIZE) : Infinity;

function s3(): S3Server | null {
  try {
    const server = serverOfS3();
    // The gate in front of it leads to this machine only.
    return /^(127\.0\.0\.1|localhost)$/.test(new URL(server.endpoint).hostname) ? server : null;
  } catch {
    return null;
  }
}

/** The full set is sufficient with the minimum of cases and browsers, and enough hits of each failpoint. */
const isFullSetSufficient = (results: readonly CaseResult[]) =>
  results.length >= MINIMUM.cases &&
  results.filter(({ surface }) => surface === 'browser').length >= MINIMUM.browsers &&
  undercoveredHits(results).length === 0;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    console.error('Stopping after the running cases.');
    stop.abort();
  });
}
const startedAt = performance.now();
const results = await runSuite({
  seed,
  cases,
  minutes: Number(values.soak ?? values.minutes),
  systems: Number(values.systems),
  ...(only && { only }),
  ...(values.fitting !== undefined && { fitting: new RegExp(values.fitting, 'i') }),
  ...(values.failpoints && { failpoints: new Set(values.failpoints.split(',')) }),
  s3: s3(),
  log: (line) => console.error(line),
  ...(isFullSet && { isSufficient: isFullSetSufficient }),
  signal: stop.signal,
});

const failedCases = results.filter(({ violations }) => violations.length > 0);
const undercovered = undercoveredHits(results);
const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
console.error(`\n${table(results)}\n\n${hitTable(results)}\n`);
if (isFullSet && undercovered.length > 0)
  console.error(`Reached too rarely: ${undercovered.map(describeHit).join(', ')}`);
if (isFullSet && results.length < MINIMUM.cases) console.error(`Ran fewer than ${MINIMUM.cases} cases`);
if (failedCases.length > 0) console.error(`Failures: ${await writeFailures(values.out, seed, results)}`);
console.error(`${results.length} cases in ${minutes} minutes, ${failedCases.length} failed; seed ${seed}`);
if (values.json) {
  console.log(
    JSON.stringify({
      seed,
      minutes: Number(minutes),
      cases: results.map(({ logs: _, evidence: __, ...result }) => result),
    }),
  );
}
const isSufficient = results.length >= (isFullSet ? MINIMUM.cases : 1) && !(isFullSet && undercovered.length > 0);
if (failedCases.length > 0 || !isSufficient) process.exitCode = 1;
