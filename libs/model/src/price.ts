import type { ModelPrice, ModelUsage } from '@pilothouse/contract';
import type { ModelRef } from './endpoint.ts';
import { findEntry } from './entry.ts';
import table from './prices.json' with { type: 'json' };

interface Price extends ModelPrice {
  /** What everything costs in calls with more than `tokens` of input. */
  readonly above?: ModelPrice & { readonly tokens: number };
}

const prices: Readonly<Record<string, Price>> = table;

/** Tokens of a call, and how many of them the provider put into its cache. */
export interface BilledUsage extends ModelUsage {
  readonly writtenTokens?: number;
}

/** US dollars for a call; null when the price of the model is not known. */
export function priceUsd(ref: ModelRef, used: BilledUsage): number | null {
  const price: Price | undefined = ref.entry?.price ?? findEntry(prices, ref);
  if (!price) return null;
  const { inputTokens, outputTokens, cachedTokens, writtenTokens = 0 } = used;
  const plain = Math.max(0, inputTokens - cachedTokens - writtenTokens);
  const rates = price.above && inputTokens > price.above.tokens ? price.above : price;
  const { input, output, cached = input, written = input } = rates;
  return (plain * input + cachedTokens * cached + writtenTokens * written + outputTokens * output) / 1_000_000;
}
