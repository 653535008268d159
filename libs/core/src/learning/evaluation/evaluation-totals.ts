import type {
  EvaluationProblem,
  EvaluationRate,
  EvaluationResult,
  EvaluationState,
} from '@pilothouse/contract/learning/offline-evaluation.schema';
import { wilsonInterval } from '../../evaluation/confidence-interval.ts';
import type { ActionComparison } from './action-comparison.ts';

/** Examples that a result names for each reason. */
const MAX_NAMED_EXAMPLES = 20;

/** Different reasons in a result. Further ones are counted together. */
const MAX_REASONS = 50;
const OTHER_REASONS = 'Other reasons';
const MAX_REASON_CHARS = 300;

interface AnswerUsage {
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly cachedTokens: number };
  readonly usd: number | null;
  readonly durationMs: number;
}

/** Outcome of one example. @property name `run/ordinal` */
export type ExampleOutcome = { readonly name: string } & (
  | { readonly kind: 'compared'; readonly comparison: ActionComparison; readonly answer: AnswerUsage }
  /** @property answer null: no answer was paid for */
  | { readonly kind: 'error'; readonly reason: string; readonly answer: AnswerUsage | null }
  | { readonly kind: 'skipped'; readonly reason: string }
);

/** Counts of an evaluation. Its state is the checkpoint of the job. */
export class EvaluationTotals {
  private readonly state: EvaluationState;

  /** @param state checkpoint; null: from the beginning */
  constructor(state: EvaluationState | null) {
    this.state = state ?? {
      ...{ nextIndex: 0, finishedIndexes: [], evaluatedCount: 0, actionMatchCount: 0, kindMatchCount: 0 },
      targetMatches: { successes: 0, trials: 0 },
      textMatches: { successes: 0, trials: 0 },
      ...{
        distancesPixels: [],
        distanceShares: [],
        latenciesMs: [],
        tokens: { input: 0, output: 0, cached: 0 },
        usd: 0,
      },
      ...{ errors: [], skipped: [] },
    };
  }

  /** True if the example with this number, from 0, is counted. */
  isDone(index: number): boolean {
    return index < this.state.nextIndex || this.state.finishedIndexes.includes(index);
  }

  get doneCount(): number {
    return this.state.nextIndex + this.state.finishedIndexes.length;
  }

  checkpoint(): EvaluationState {
    return this.state;
  }

  /** Counts an example once. @param index its number, from 0 */
  add(index: number, outcome: ExampleOutcome): void {
    if (this.isDone(index)) return;
    const { state } = this;
    state.finishedIndexes.push(index);
    while (state.finishedIndexes.includes(state.nextIndex)) {
      state.finishedIndexes.splice(state.finishedIndexes.indexOf(state.nextIndex), 1);
      state.nextIndex += 1;
    }
    if (outcome.kind === 'skipped') return addProblem(state.skipped, outcome);
    state.evaluatedCount += 1;
    if (outcome.answer) this.addUsage(outcome.answer);
    if (outcome.kind === 'error') addProblem(state.errors, outcome);
    else this.addComparison(outcome.comparison);
  }

  private addUsage({ usage, usd, durationMs }: AnswerUsage): void {
    const { state } = this;
    state.tokens.input += usage.inputTokens;
    state.tokens.output += usage.outputTokens;
    state.tokens.cached += usage.cachedTokens;
    state.usd = usd === null || state.usd === null ? null : state.usd + usd;
    state.latenciesMs.push(Math.round(durationMs));
  }

  private addComparison({ isMatch, hasSameKind, hasSameTarget, hasSameText, distance }: ActionComparison): void {
    const { state } = this;
    if (isMatch === true) state.actionMatchCount += 1;
    if (hasSameKind) state.kindMatchCount += 1;
    for (const [counts, isSame] of [
      [state.targetMatches, hasSameTarget],
      [state.textMatches, hasSameText],
    ] as const) {
      if (isSame === null) continue;
      counts.trials += 1;
      if (isSame) counts.successes += 1;
    }
    if (!distance) return;
    state.distancesPixels.push(rounded(distance.pixels, 1));
    state.distanceShares.push(rounded(distance.share, 4));
  }

  result(facts: Pick<EvaluationResult, 'model' | 'dataset' | 'split' | 'job'>): EvaluationResult {
    const { evaluatedCount, actionMatchCount, kindMatchCount, targetMatches, textMatches, distancesPixels } =
      this.state;
    const { distanceShares, latenciesMs, tokens, usd, errors, skipped } = this.state;
    return {
      ...facts,
      actionMatchRate: rateOf(actionMatchCount, evaluatedCount),
      kindMatchRate: rateOf(kindMatchCount, evaluatedCount),
      targetMatchRate: rateOf(targetMatches.successes, targetMatches.trials),
      textMatchRate: rateOf(textMatches.successes, textMatches.trials),
      grounding:
        distancesPixels.length === 0
          ? null
          : {
              count: distancesPixels.length,
              ...{ medianPixels: quantile(distancesPixels, 0.5), medianShare: quantile(distanceShares, 0.5) },
              ...{ p90Pixels: quantile(distancesPixels, 0.9), p90Share: quantile(distanceShares, 0.9) },
            },
      tokens,
      usd,
      latencyMs:
        latenciesMs.length === 0 ? null : { median: quantile(latenciesMs, 0.5), p90: quantile(latenciesMs, 0.9) },
      errors: byCount(errors),
      skipped: byCount(skipped),
    };
  }
}

const rateOf = (successes: number, trials: number): EvaluationRate => ({
  successes,
  trials,
  ...wilsonInterval(successes, trials),
});

/** The smallest value that this share of the values does not exceed. @param values 1 or more */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

const rounded = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits;

function addProblem(problems: EvaluationProblem[], { name, reason }: { name: string; reason: string }): void {
  const short = reason.slice(0, MAX_REASON_CHARS).toWellFormed();
  const known = problems.find((problem) => problem.reason === short);
  const isFull = problems.length >= MAX_REASONS;
  const problem = known ?? (isFull ? problems.find(({ reason }) => reason === OTHER_REASONS) : undefined);
  if (!problem) {
    problems.push({ reason: isFull ? OTHER_REASONS : short, count: 1, examples: [name] });
    return;
  }
  problem.count += 1;
  if (problem.examples.length < MAX_NAMED_EXAMPLES) problem.examples.push(name);
}

const byCount = (problems: readonly EvaluationProblem[]) =>
  problems.toSorted((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
