import { PilothouseError, type Budget } from '@pilothouse/contract';

/** What models took, or may take. */
export interface ModelUse {
  readonly tokens: number;
  readonly usd: number;
}

/**
 * Why a call to a model may not be made, or undefined when it may.
 * @param used what the run has taken, over all attempts, and what calls at work may come to
 * @param call what the call may come to; `usd` null: its price is not known
 */
export function overModelBudget(
  { tokens, usd }: Pick<Budget, 'tokens' | 'usd'>,
  used: ModelUse,
  call: { readonly tokens: number; readonly usd: number | null },
): PilothouseError | undefined {
  if (tokens !== undefined && used.tokens + call.tokens > tokens) {
    return new PilothouseError(
      'BUDGET_EXCEEDED',
      `The run may take ${tokens} tokens of models, has taken ${used.tokens}, and the next call may take ${call.tokens}`,
      { details: { limit: tokens, used: used.tokens, unit: 'tokens' } },
    );
  }
  if (usd === undefined) return undefined;
  const details = { limit: usd, used: used.usd, unit: 'usd' };
  const limit = `The run may take ${usd} US dollars for models`;
  if (call.usd === null) {
    return new PilothouseError('BUDGET_EXCEEDED', `${limit}, and the price of the model is not known`, { details });
  }
  if (used.usd + call.usd <= usd) return undefined;
  const dollars = (amount: number) => amount.toFixed(4);
  return new PilothouseError(
    'BUDGET_EXCEEDED',
    `${limit}, has taken ${dollars(used.usd)}, and the next call may take ${dollars(call.usd)}`,
    { details },
  );
}
