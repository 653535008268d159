import type { ModelUsage } from '@pilothouse/contract';
import type { ModelRef } from './endpoint.ts';
import { entryOf } from './entry.ts';
import table from './prices.json' with { type: 'json' };

/** US dollars for a million tokens. */
interface Rates {
  readonly input: number;
  readonly output: number;
  /** Read from the cache of the provider (default: as `input`). */
  readonly cached?: number;
  /** Written into it (default: as `input`). */
  readonly written?: number;
}

interface Price extends Rates {
  /** What everything costs in calls with more than `tokens` of input. */
  readonly above?: Rates & { readonly tokens: number };
}

const prices: Readonly<Record<string, Price>> = table;

/** Tokens of a call, and how many of them the provider put into its cache. */
export interface Used extends ModelUsage {
  readonly writtenTokens?: number;
}

/** US dollars for a call; null when the price of the model is not known. */
export function priceOf(ref: ModelRef, used: Used): number | null {
  const price = entryOf(prices, ref);
  if (!price) return null;
  const { inputTokens, outputTokens, cachedTokens, writtenTokens = 0 } = used;
  const plain = Math.max(0, inputTokens - cachedTokens - writtenTokens);
  const rates = price.above && inputTokens > price.above.tokens ? price.above : price;
  const { input, output, cached = input, written = input } = rates;
  return (plain * input + cachedTokens * cached + writtenTokens * written + outputTokens * output) / 1_000_000;
}
