import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serverOfS3 } from '../harness/servers.fixture.ts';
import type { CaseResult } from './case-runner.ts';
import type { S3Server } from './system/object-store.ts';
import { DECK_SIZE, MINIMUM } from './plan/case-plan.ts';
import { writeFailures } from './report/failure-folder.ts';
import { describePassage, undercoveredPassages } from './report/failpoint-coverage.ts';
import { passageTable, table } from './report/outcome-table.ts';
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
    out: { type: 'string', default: join(tmpdir(), 'pilothouse-chaos-report') },
    json: { type: 'boolean', default: false },
  },
});

const seed = values.seed ?? String(randomInt(1_000_000));
const only = values.case === undefined ? undefined : new Set(values.case.split(',').map(Number));
const isFullDeck =
  only === undefined && values.fitting === undefined && values.soak === undefined && values.cases === undefined;
const cases = values.soak === undefined ? Number(values.cases ?? DECK_SIZE) : Infinity;

function s3(): S3Server | null {
  try {
    const server = serverOfS3();
    // The gate in front of it leads to this machine only.
    return /^(127\.0\.0\.1|localhost)$/.test(new URL(server.endpoint).hostname) ? server : null;
  } catch {
    return null;
  }
}

/** A deck suffices with the minimum of cases and browsers, and enough passages of each failpoint. */
const isDeckSufficient = (played: readonly CaseResult[]) =>
  played.length >= MINIMUM.cases &&
  played.filter(({ surface }) => surface === 'browser').length >= MINIMUM.browsers &&
  undercoveredPassages(played).length === 0;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    console.error('The cases under way are the last ones.');
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
  s3: s3(),
  log: (line) => console.error(line),
  ...(isFullDeck && { isSufficient: isDeckSufficient }),
  signal: stop.signal,
});

const red = results.filter(({ violations }) => violations.length > 0);
const undercovered = undercoveredPassages(results);
const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
console.error(`\n${table(results)}\n\n${passageTable(results)}\n`);
if (isFullDeck && undercovered.length > 0)
  console.error(`Passed too seldom: ${undercovered.map(describePassage).join(', ')}`);
if (isFullDeck && results.length < MINIMUM.cases) console.error(`Played less than ${MINIMUM.cases} cases`);
if (red.length > 0) console.error(`Failures: ${await writeFailures(values.out, seed, results)}`);
console.error(`${results.length} cases in ${minutes} minutes, ${red.length} red; seed ${seed}`);
if (values.json) {
  console.log(
    JSON.stringify({
      seed,
      minutes: Number(minutes),
      cases: results.map(({ logs: _, evidence: __, ...result }) => result),
    }),
  );
}
const isSufficient = results.length >= (isFullDeck ? MINIMUM.cases : 1) && !(isFullDeck && undercovered.length > 0);
if (red.length > 0 || !isSufficient) process.exitCode = 1;
