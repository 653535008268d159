import type { CaseResult } from '../case-runner.ts';
import { faultTitle } from './failure-folder.ts';
import { countHits } from './failpoint-coverage.ts';

const columns = [
  'cases',
  'browser',
  'runs',
  'completed',
  'failed',
  'cancelled',
  'taken over',
  'asked',
  'broke',
  'failed cases',
  'median s',
];

/** Table of faults and outcomes for a terminal. */
export function table(results: readonly CaseResult[]): string {
  const byFault = Map.groupBy(results, faultTitle);
  const rows = [...byFault]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([fault, faultResults]) => [fault, ...figures(faultResults)]);
  return lines([['fault', ...columns], ...rows, ['all', ...figures(results)]]);
}

/** Table of failpoints and hits for a terminal. */
export function hitTable(results: readonly CaseResult[]): string {
  const rows = Object.entries(countHits(results)).map(([name, { with: recovered, without, killed }]) => [
    name,
    recovered,
    without,
    killed,
  ]);
  return lines([['broke at', 'with takeover', 'without', 'killed there'], ...rows]);
}

function figures(faultResults: readonly CaseResult[]): number[] {
  const sum = (count: (result: CaseResult) => number) =>
    faultResults.reduce((total, result) => total + count(result), 0);
  const ends = (status: string) => sum((result) => result.ends[status] ?? 0);
  const times = faultResults.map(({ ms }) => ms).sort((a, b) => a - b);
  return [
    faultResults.length,
    sum(({ surface }) => Number(surface === 'browser')),
    sum((result) => Object.values(result.ends).reduce((total, count) => total + count, 0)),
    ends('completed'),
    ends('failed'),
    ends('cancelled'),
    sum(({ takeovers }) => takeovers),
    sum(({ answers }) => answers),
    sum(({ fired }) => fired.length),
    sum(({ violations }) => Number(violations.length > 0)),
    Math.round((times[Math.floor(times.length / 2)] ?? 0) / 100) / 10,
  ];
}

function lines(rows: readonly (readonly (string | number)[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  return rows
    .map((row) =>
      row.map((cell, column) =>
        column === 0 ? String(cell).padEnd(widths[column] ?? 0) : String(cell).padStart(widths[column] ?? 0),
      ),
    )
    .map((cells) => cells.join('  '))
    .join('\n');
}
