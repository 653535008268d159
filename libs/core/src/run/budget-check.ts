import { type FieldError, PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import {
  type Budget,
  type MonthBudget,
  type MonthlyUsage,
  type ProjectBudgets,
  budgetKeys,
} from '@pilothouse/contract/run/budget.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';

type StepBudget = Assignment['budget'];

export interface AttemptUsage {
  readonly steps: number;
  readonly seconds: number;
}

/**
 * Seconds that are left; Infinity without a limit.
 * @param timeout time limit of the workflow in seconds; the smaller limit applies
 */
export function secondsLeft(
  budget: StepBudget,
  timeout: number | undefined,
  used: Pick<AttemptUsage, 'seconds'>,
): number {
  const limit = Math.min(budget.seconds ?? Infinity, timeout ?? Infinity);
  return limit - budget.usedSeconds - used.seconds;
}

/** The error if the next step exceeds the budget. */
export function checkStepBudget(
  budget: StepBudget,
  timeout: number | undefined,
  used: AttemptUsage,
): PilothouseError | undefined {
  const steps = budget.usedSteps + used.steps;
  if (budget.steps !== undefined && steps >= budget.steps) {
    return new PilothouseError('BUDGET_EXCEEDED', `Step budget exceeded (${steps} of ${budget.steps} steps)`, {
      details: { limit: budget.steps, used: steps, unit: 'steps' },
    });
  }
  return secondsLeft(budget, timeout, used) > 0 ? undefined : timeBudgetExceeded(budget, timeout);
}

/** The error of a run that exceeds its time limit. */
export function timeBudgetExceeded(budget: StepBudget, timeout: number | undefined): PilothouseError {
  const limit = Math.min(budget.seconds ?? Infinity, timeout ?? Infinity);
  return new PilothouseError('BUDGET_EXCEEDED', `Time budget exceeded (${limit} s)`, {
    details: { limit, unit: 'seconds' },
  });
}

type BudgetLimits = Pick<ProjectBudgets, 'default' | 'max'>;

/** Checks the budget of a run against the maximum of its project. Pointers are relative to the budget. */
export const projectLimitErrors = ({ max = {} }: BudgetLimits, requested: Budget): FieldError[] =>
  budgetKeys.flatMap((key) =>
    (requested[key] ?? 0) <= (max[key] ?? Infinity)
      ? []
      : [
          {
            pointer: `/${key}`,
            detail: `The project limits a run to ${max[key]}. Request less, or ask an admin to raise the limit.`,
          },
        ],
  );

/** Budget of a run: its own, else the default of the project, limited by the maximum of the project. */
export function effectiveBudget({ default: defaults = {}, max = {} }: BudgetLimits, requested: Budget): Budget {
  const limits = budgetKeys.flatMap((key) => {
    const limit = Math.min(requested[key] ?? defaults[key] ?? Infinity, max[key] ?? Infinity);
    return limit === Infinity ? [] : [[key, limit] as const];
  });
  return Object.fromEntries(limits);
}

/** Tokens and US dollars of model calls. */
export interface ModelTotals {
  readonly tokens: number;
  readonly usd: number;
}

/**
 * The error of a model call that exceeds the budget of its run; undefined: the call is allowed.
 * @param used usage of the run over all attempts, including running calls
 * @param call maximum usage of the call; `usd` null: unknown price
 */
export function checkModelBudget(
  { tokens, usd }: Pick<Budget, 'tokens' | 'usd'>,
  used: ModelTotals,
  call: CallCost,
): PilothouseError | undefined {
  if (tokens !== undefined && used.tokens + call.tokens > tokens) {
    return new PilothouseError(
      'BUDGET_EXCEEDED',
      `Token budget exceeded: ${used.tokens} of ${tokens} tokens used, and the next model call may use ${call.tokens}`,
      { details: { limit: tokens, used: used.tokens, unit: 'tokens' } },
    );
  }
  if (usd === undefined) return undefined;
  const details = { limit: usd, used: used.usd, unit: 'usd' };
  if (call.usd === null) {
    return new PilothouseError(
      'BUDGET_EXCEEDED',
      `The cost budget (${usd} USD) cannot be checked: ${unknownPrice(call)}. Or replace the budget by one in tokens`,
      { details },
    );
  }
  if (used.usd + call.usd <= usd) return undefined;
  return new PilothouseError(
    'BUDGET_EXCEEDED',
    `Cost budget exceeded: ${dollars(used.usd)} of ${usd} USD used, and the next model call may cost ${dollars(call.usd)}`,
    { details },
  );
}

/**
 * The error of a model call that exceeds the monthly budget of its project.
 * @param project name of the project
 * @param spent usage of the month, with running calls in `reserved`
 * @param call maximum usage of the call; `usd` null: unknown price
 */
export function monthBudgetExceeded(
  project: string,
  { tokens, usd }: MonthBudget,
  spent: MonthlyUsage,
  call: CallCost,
): PilothouseError {
  const used = { tokens: spent.tokens + spent.reserved.tokens, usd: spent.usd + spent.reserved.usd };
  const isTokens = tokens !== undefined && used.tokens + call.tokens > tokens;
  const [limit, unit] = isTokens || usd === undefined ? [tokens, 'tokens' as const] : [usd, 'usd' as const];
  const next =
    unit === 'tokens'
      ? `${used.tokens} are used or reserved, and the next model call may use ${call.tokens}`
      : call.usd === null
        ? `${unknownPrice(call)}. Or set the monthly budget in tokens`
        : `${dollars(used.usd)} are used or reserved, and the next model call may cost ${dollars(call.usd)}`;
  return new PilothouseError(
    'BUDGET_EXCEEDED',
    `Model budget of the project ${project} exceeded (${limit} ${unit === 'tokens' ? 'tokens' : 'USD'} in ${spent.month}, UTC): ${next}. An admin can raise it: Settings, or npx pilothouse project set --monthly-budget`,
    { details: { limit, used: used[unit], unit, of: 'project', month: spent.month } },
  );
}

/** Maximum usage of a model call. @property usd null: the price of the model is unknown */
export interface CallCost {
  readonly tokens: number;
  readonly usd: number | null;
  /** `endpoint/model`. */
  readonly model?: string;
}

/** Names the model without a price, and how to set one. */
const unknownPrice = ({ model = 'the model' }: CallCost): string =>
  `the price of ${model} is unknown. Set \`price\` for "${model}" in PILOTHOUSE_MODEL_OVERRIDES, in US dollars for a million tokens ({"input": 0, "output": 0} for a local model)`;

const dollars = (amount: number) => amount.toFixed(4);
