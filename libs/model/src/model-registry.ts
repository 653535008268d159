import type { ModelRef } from './model-endpoint.ts';
import {
  DEFAULT_MODEL_TOKENS,
  type Dialect,
  type ModelPrice,
  type ModelRequest,
  type ModelUsage,
} from '@pilothouse/contract';
import capabilityTable from './model-capabilities.json' with { type: 'json' };
import priceTable from './model-prices.json' with { type: 'json' };

/**
 * The names under which tables may know a model: its own; where the model's name has the provider in it, as at endpoints that pass calls on
 * (`openrouter/openai/gpt-5-mini`), that; and that of the one whose protocol it speaks.
 */
const namesOf = ({ provider, model, protocol }: ModelRef): string[] => [
  `${provider}/${model}`,
  ...(model.includes('/') ? [model] : []),
  `${protocol}/${model}`,
];

/** A dated edition of a model, as its end says it: `-20250929`, `-2025-08-07`, `-001`, `-preview-...`, `-latest`. */
const EDITION = /-(latest|\d{3}|\d{8}|\d{4}-\d{2}-\d{2}|preview(-[\d-]+)?)$/;

/** What a table says of a model, or of the one it is a dated edition of. */
export function findEntry<Entry>(table: Readonly<Record<string, Entry>>, ref: ModelRef): Entry | undefined {
  for (const name of namesOf(ref)) {
    const found = [name, name.replace(EDITION, '')].find((one) => Object.hasOwn(table, one));
    if (found !== undefined) return table[found];
  }
  return undefined;
}

/**
 * What a table says of a model in which `*` in a name stands for anything, in letters of either case. Of several names that fit, one of the
 * endpoint goes before one of its protocol, and the longer before the shorter; before all goes one without `*`. The order of a table says nothing:
 * not everybody who writes it down keeps it.
 */
export function mergedEntry<Entry extends object>(
  table: Readonly<Record<string, Entry>>,
  ref: ModelRef,
): Partial<Entry> {
  const names = namesOf(ref);
  const fitting = Object.entries(table)
    .filter(([pattern]) => pattern.includes('*'))
    .map(([pattern, entry]) => ({ pattern, entry, at: names.findIndex((name) => fits(pattern, name)) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => other.at - one.at || one.pattern.length - other.pattern.length);
  return Object.assign({}, ...fitting.map(({ entry }) => entry), findEntry(table, ref)) as Partial<Entry>;
}

/** Whether a name is one that a pattern stands for. In time that grows with both, whatever the pattern. */
function fits(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const last = rest.pop();
  let left = name.toLowerCase();
  if (last === undefined) return left === first;
  if (!left.startsWith(first)) return false;
  left = left.slice(first.length);
  for (const part of rest) {
    const at = left.indexOf(part);
    if (at < 0) return false;
    left = left.slice(at + part.length);
  }
  return left.endsWith(last);
}

/** What a model can do besides reading and writing. */
export interface ModelCapabilities {
  /** Takes images; of a model that is not in the table nobody knows, and it is tried. */
  readonly sees: boolean;
  /** Its provider has a tool for operating computers that it may be offered. */
  readonly computer: boolean;
  /** How it writes actions; undefined: nobody knows, and functions are tried. */
  readonly dialect?: Dialect | undefined;
}

const entries = capabilityTable as Readonly<Record<string, Partial<ModelCapabilities>>>;

/** What the table says, unless the installation says otherwise. */
export function capabilitiesOf(ref: ModelRef): ModelCapabilities {
  const { sees, computer, dialect } = mergedEntry(entries, ref);
  const { entry } = ref;
  return {
    sees: entry?.acceptsImages ?? sees ?? true,
    computer: computer ?? false,
    dialect: entry?.dialect ?? dialect,
  };
}

interface Price extends ModelPrice {
  /** What everything costs in calls with more than `tokens` of input. */
  readonly above?: ModelPrice & { readonly tokens: number };
}

const prices: Readonly<Record<string, Price>> = priceTable;

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
  const { input, output, cacheRead: cached = input, cacheWrite: written = input } = rates;
  return (plain * input + cachedTokens * cached + writtenTokens * written + outputTokens * output) / 1_000_000;
}

/** Tokens of an image, generously: providers count 260 to 1,600 for one of 1280 × 800. */
const IMAGE_TOKENS = 2_000;

/** Bytes of text for a token, ungenerously: English and JSON have three to four, and scripts with three bytes a letter about that. */
const TOKEN_BYTES = 3;

/** What a call may come to at the most. */
export interface Estimate {
  readonly tokens: number;
  /** null: the price of the model is not known. */
  readonly usd: number | null;
  /** The part of it that is asked, whatever is answered. */
  readonly input: { readonly tokens: number; readonly usd: number | null };
}

/** What a call may come to: the input generously, the answer at its limit, nothing cached. */
export function estimate(ref: ModelRef, request: ModelRequest): Estimate {
  const { system, messages, tools, schema, maxTokens: outputTokens = DEFAULT_MODEL_TOKENS } = request;
  let bytes = Buffer.byteLength(system) + sizeOf(tools) + sizeOf(schema);
  let images = 0;
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if ('image' in part) images += 1;
    else bytes += sizeOf(part);
  }
  const inputTokens = Math.ceil(bytes / TOKEN_BYTES) + images * IMAGE_TOKENS;
  const used = { inputTokens, outputTokens, cachedTokens: 0, writtenTokens: inputTokens };
  return {
    tokens: inputTokens + outputTokens,
    usd: priceUsd(ref, used),
    input: { tokens: inputTokens, usd: priceUsd(ref, { ...used, outputTokens: 0 }) },
  };
}

const sizeOf = (value: unknown) => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)));
