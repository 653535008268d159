import type { RunView } from '@pilothouse/contract/run/run.schema';
import { differenceInterval, wilsonInterval, type Interval } from './confidence-interval.ts';

/** One checked run of a task. */
export interface EvalRun {
  readonly task: string;
  /** Compared variant: a model, or a version of the workflow. */
  readonly variant: string;
  /** Number of the run of the task, from 1. */
  readonly repeat: number;
  readonly run: string;
  /** Empty: the task succeeded. */
  readonly problems: readonly string[];
  readonly status: RunView['status'];
  readonly seconds: number;
  readonly steps: number;
  /** Steps without a model call. */
  readonly modelFreeSteps: number;
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
}

/** Success rate and mean usage of runs. */
export interface EvalStats {
  readonly successes: number;
  readonly trials: number;
  readonly rate: number;
  /** 95 % confidence interval of the rate. */
  readonly interval: Interval;
  readonly medianSeconds: number;
  readonly meanSteps: number;
  /** Share of steps without a model call, from 0 to 1. */
  readonly modelFreeShare: number;
  readonly meanTokens: number;
  readonly meanUsd: number;
}

/** Results of a suite. */
export interface EvalReport {
  readonly variants: Readonly<Record<string, EvalStats>>;
  readonly tasks: readonly { readonly task: string; readonly variants: Readonly<Record<string, EvalStats>> }[];
  /** With two variants: difference of the success rates, second minus first. */
  readonly difference: { readonly rate: number; readonly interval: Interval; readonly isSignificant: boolean } | null;
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : mean(sorted.slice(Math.max(0, middle - 1), middle + 1));
}

function statsOf(runs: readonly EvalRun[]): EvalStats {
  const successes = runs.filter(({ problems }) => problems.length === 0).length;
  const trials = runs.length;
  const steps = runs.reduce((sum, run) => sum + run.steps, 0);
  const modelFree = runs.reduce((sum, run) => sum + run.modelFreeSteps, 0);
  return {
    successes,
    trials,
    rate: trials === 0 ? 0 : successes / trials,
    interval: wilsonInterval(successes, trials),
    medianSeconds: median(runs.map(({ seconds }) => seconds)),
    meanSteps: trials === 0 ? 0 : steps / trials,
    modelFreeShare: steps === 0 ? 0 : modelFree / steps,
    meanTokens: mean(runs.map(({ tokens }) => tokens)),
    meanUsd: mean(runs.map(({ usd }) => usd)),
  };
}

const byVariant = (runs: readonly EvalRun[], variants: readonly string[]): Record<string, EvalStats> =>
  Object.fromEntries(variants.map((variant) => [variant, statsOf(runs.filter((run) => run.variant === variant))]));

/** Success, cost and duration of checked runs, by variant and by task. */
export function evalReport(runs: readonly EvalRun[]): EvalReport {
  const variants = [...new Set(runs.map(({ variant }) => variant))];
  const tasks = [...Map.groupBy(runs, ({ task }) => task)].map(([task, taskRuns]) => ({
    task,
    variants: byVariant(taskRuns, variants),
  }));
  const stats = byVariant(runs, variants);
  return { variants: stats, tasks, difference: differenceOf(variants.map((variant) => stats[variant])) };
}

function differenceOf([first, second, third]: readonly (EvalStats | undefined)[]): EvalReport['difference'] {
  if (!first || !second || third) return null;
  const interval = differenceInterval(first, second);
  return { rate: second.rate - first.rate, interval, isSignificant: interval.low > 0 || interval.high < 0 };
}
