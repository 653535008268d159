import type { EvaluationProblem, EvaluationRate, EvaluationResult, EvaluationState } from '@pilothouse/contract';
import { wilsonInterval } from '../../evaluation/confidence-interval.ts';
import type { ActionComparison } from './action-comparison.ts';

/** Examples that a result names for each reason. */
const MAX_NAMED_EXAMPLES = 20;

/** Different reasons in a result. Further ones are counted together. */
const MAX_REASONS = 50;
const OTHER_REASONS = 'Other reasons';
const MAX_REASON_CHARS = 300;

/** Usage of one answer. */
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
      ...{ next: 0, ahead: [], asked: 0, matches: 0, kinds: 0 },
      targets: { successes: 0, trials: 0 },
      texts: { successes: 0, trials: 0 },
      ...{ pixels: [], shares: [], latenciesMs: [], tokens: { input: 0, output: 0, cached: 0 }, usd: 0 },
      ...{ errors: [], skipped: [] },
    };
  }

  /** True if the example with this number, from 0, is counted. */
  isDone(index: number): boolean {
    return index < this.state.next || this.state.ahead.includes(index);
  }

  get doneCount(): number {
    return this.state.next + this.state.ahead.length;
  }

  checkpoint(): EvaluationState {
    return this.state;
  }

  /** Counts an example once. @param index its number, from 0 */
  add(index: number, outcome: ExampleOutcome): void {
    if (this.isDone(index)) return;
    const { state } = this;
    state.ahead.push(index);
    while (state.ahead.includes(state.next)) {
      state.ahead.splice(state.ahead.indexOf(state.next), 1);
      state.next += 1;
    }
    if (outcome.kind === 'skipped') return addProblem(state.skipped, outcome);
    state.asked += 1;
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
    if (isMatch === true) state.matches += 1;
    if (hasSameKind) state.kinds += 1;
    for (const [counts, isSame] of [
      [state.targets, hasSameTarget],
      [state.texts, hasSameText],
    ] as const) {
      if (isSame === null) continue;
      counts.trials += 1;
      if (isSame) counts.successes += 1;
    }
    if (!distance) return;
    state.pixels.push(rounded(distance.pixels, 1));
    state.shares.push(rounded(distance.share, 4));
  }

  result(facts: Pick<EvaluationResult, 'model' | 'dataset' | 'split' | 'job'>): EvaluationResult {
    const { asked, matches, kinds, targets, texts, pixels, shares, latenciesMs, tokens, usd, errors, skipped } =
      this.state;
    return {
      ...facts,
      match: rateOf(matches, asked),
      kind: rateOf(kinds, asked),
      target: rateOf(targets.successes, targets.trials),
      text: rateOf(texts.successes, texts.trials),
      grounding:
        pixels.length === 0
          ? null
          : {
              count: pixels.length,
              ...{ medianPixels: quantile(pixels, 0.5), medianShare: quantile(shares, 0.5) },
              ...{ p90Pixels: quantile(pixels, 0.9), p90Share: quantile(shares, 0.9) },
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
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

const rounded = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits;

function addProblem(problems: EvaluationProblem[], { name, reason }: { name: string; reason: string }): void {
  const short = reason.slice(0, MAX_REASON_CHARS).toWellFormed();
  const known = problems.find((problem) => problem.reason === short);
  const isFull = problems.length >= MAX_REASONS;
  const problem = known ?? (isFull ? problems.find(({ reason: other }) => other === OTHER_REASONS) : undefined);
  if (!problem) {
    problems.push({ reason: isFull ? OTHER_REASONS : short, count: 1, examples: [name] });
    return;
  }
  problem.count += 1;
  if (problem.examples.length < MAX_NAMED_EXAMPLES) problem.examples.push(name);
}

const byCount = (problems: readonly EvaluationProblem[]) =>
  problems.toSorted((one, other) => other.count - one.count || (one.reason < other.reason ? -1 : 1));
