/** Seconds that each spec file took: measured by the last run on this machine, or else by the run that was committed. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suiteOf, suites } from '../jest/suites.ts';

export const root = join(import.meta.dirname, '../..');

/** Path of a spec file, from the root of the repository → its seconds. */
export type TestTimes = Readonly<Record<string, number>>;

const measuredFile = join(root, '.pilothouse/test-times.json');
const committedFile = join(root, 'scripts/jest/test-times.json');

/** A suite that takes more than this multiple of its budget is reported. */
const BUDGET_TOLERANCE = 1.2;

const SLOWEST_FILES = 10;

function readTimes(file: string): TestTimes {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as TestTimes;
  } catch {
    return {};
  }
}

/** Returns the newest known seconds of each spec file; {} if none were measured. */
export const readTestTimes = (): TestTimes => ({ ...readTimes(committedFile), ...readTimes(measuredFile) });

/** Stores the seconds of spec files that ran. Other files keep theirs. */
export function storeTestTimes(measured: TestTimes): void {
  const rounded = Object.entries(measured).map(([file, seconds]) => [file, Math.round(seconds * 10) / 10] as const);
  const times = Object.fromEntries([...Object.entries(readTimes(measuredFile)), ...rounded].toSorted(byName));
  mkdirSync(dirname(measuredFile), { recursive: true });
  writeFileSync(measuredFile, `${JSON.stringify(times, null, 1)}\n`);
}

const byName = ([a]: readonly [string, number], [b]: readonly [string, number]) => (a < b ? -1 : 1);

/** Returns a line if a whole suite took longer than its budget allows. */
export function budgetExcess(suite: string, wallSeconds: number): string | undefined {
  const { budgetSeconds = Infinity } = suites.find(({ name }) => name === suite) ?? {};
  return wallSeconds > budgetSeconds * BUDGET_TOLERANCE
    ? `OVER BUDGET ${suite}: ${Math.round(wallSeconds)} s, budget ${budgetSeconds} s (CONTRIBUTING.md, Tests)`
    : undefined;
}

/** Formats the stored seconds: per suite the number of files, their sum, the budget, and the slowest files. */
export function formatTestTimes(times: TestTimes): string {
  const files = Object.entries(times).toSorted(([, a], [, b]) => b - a);
  if (files.length === 0) return 'No times are stored yet: run ./scripts/test.';
  const ofSuite = Map.groupBy(files, ([file]) => suiteOf(file));
  return suites
    .filter(({ name }) => ofSuite.has(name))
    .flatMap(({ name, budgetSeconds }) => {
      const own = ofSuite.get(name) ?? [];
      const sum = own.reduce((total, [, seconds]) => total + seconds, 0);
      const budget = budgetSeconds === undefined ? '' : `, budget ${budgetSeconds} s for the suite`;
      return [
        `${name}: ${own.length} files, ${Math.round(sum)} s in all files${budget}`,
        ...own.slice(0, SLOWEST_FILES).map(([file, seconds]) => `${seconds.toFixed(1).padStart(8)} s  ${file}`),
      ];
    })
    .join('\n');
}
