import type { Interval } from '@pilothouse/core/evaluation/confidence-interval';
import type { EvalReport, EvalRun, EvalStats } from '@pilothouse/core/evaluation/eval-report';
import { shortId } from '../api/find-by-id.ts';
import { clean } from '../output/sanitize-text.ts';
import { table, type Column } from '../output/text-table.ts';
import type { Style } from '../output/text-style.ts';
import { duration } from '../output/time-text.ts';

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const rangeText = ({ low, high }: Interval): string => `${Math.round(low * 100)}–${Math.round(high * 100)} %`;
const dollars = (usd: number): string => (usd === 0 ? '–' : `$${usd.toFixed(4)}`);

const variantColumns: readonly Column[] = [
  { head: 'VARIANT', canShrink: true },
  { head: 'SUCCESS', align: 'right' },
  { head: 'RATE', align: 'right' },
  { head: '95 % INTERVAL', align: 'right' },
  { head: 'TIME', align: 'right' },
  { head: 'STEPS', align: 'right' },
  { head: 'WITHOUT MODEL', align: 'right' },
  { head: 'TOKENS', align: 'right' },
  { head: 'COST', align: 'right' },
];

const variantRow = (name: string, stats: EvalStats): string[] => [
  clean(name),
  `${stats.successes}/${stats.trials}`,
  percent(stats.rate),
  rangeText(stats.interval),
  duration(stats.medianSeconds),
  stats.meanSteps.toFixed(1),
  percent(stats.modelFreeShare),
  String(Math.round(stats.meanTokens)),
  dollars(stats.meanUsd),
];

/** Lines of a report: variants, tasks that failed at least once, and the difference of two variants. */
export function reportLines(report: EvalReport, runs: readonly EvalRun[], style: Style, columns: number): string[] {
  const names = Object.keys(report.variants);
  const variantRows = Object.entries(report.variants).map(([name, stats]) => variantRow(name, stats));
  const failedTasks = report.tasks.filter(({ variants }) => Object.values(variants).some(({ rate }) => rate < 1));
  const taskRows = failedTasks.map(({ task, variants }) => [
    clean(task),
    ...names.map((name) => `${variants[name]?.successes ?? 0}/${variants[name]?.trials ?? 0}`),
    problemOf(task, runs),
  ]);
  const taskColumns: Column[] = [
    { head: 'FAILED TASK', canShrink: true },
    ...names.map((name): Column => ({ head: clean(name), align: 'right' })),
    { head: 'LAST PROBLEM', canShrink: true },
  ];
  return [
    '',
    ...table(variantColumns, variantRows, style, columns),
    ...(taskRows.length > 0 ? ['', ...table(taskColumns, taskRows, style, columns)] : []),
    ...differenceLines(report, names),
  ];
}

function problemOf(task: string, runs: readonly EvalRun[]): string {
  const failed = runs.findLast((run) => run.task === task && run.problems.length > 0);
  return failed ? `${clean(failed.problems[0] ?? '')} (${shortId(failed.run)})` : '';
}

function differenceLines({ difference }: EvalReport, [first = '', second = '']: readonly string[]): string[] {
  if (!difference) return [];
  const points = (share: number) => `${share >= 0 ? '+' : ''}${Math.round(share * 100)}`;
  const { rate, interval, isSignificant } = difference;
  const range = `95 % interval ${points(interval.low)} to ${points(interval.high)}`;
  return [
    '',
    `${clean(second)} against ${clean(first)}: ${points(rate)} percentage points, ${range}. ${
      isSignificant ? 'The difference is significant.' : 'The difference is not significant.'
    }`,
  ];
}
