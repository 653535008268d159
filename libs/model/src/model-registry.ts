import { fullModelName, type ModelRef, type Provider } from './model-endpoint.ts';
import type { ComputerTool } from '@pilothouse/contract/model/native-turn.schema';
import type { ModelEntry, ModelPrice } from '@pilothouse/contract/model/model-settings.schema';
import {
  DEFAULT_MODEL_TOKENS,
  type Dialect,
  type ModelRequest,
  type ModelUsage,
} from '@pilothouse/contract/model/model.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { exchangeBytes } from '@pilothouse/core/model/shorten-request';
import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import capabilityTable from './model-capabilities.json' with { type: 'json' };
import priceTable from './model-prices.json' with { type: 'json' };

/**
 * Names of a model in the tables, most specific first. Its own name, the provider and model of a gateway model
 * (`openrouter/openai/gpt-5-mini`), and the name with the protocol as provider.
 */
const tableNames = ({ provider, model, protocol }: ModelRef): string[] => [
  `${provider}/${model}`,
  ...(model.includes('/') ? [model] : []),
  `${protocol}/${model}`,
];

/** Suffix of a dated version of a model: `-20250929`, `-2025-08-07`, `-001`, `-preview-...`, `-latest`. */
const VERSION_SUFFIX = /-(latest|\d{3}|\d{8}|\d{4}-\d{2}-\d{2}|preview(-[\d-]+)?)$/;

/** Entry of a model in a table, or of the model without its version suffix. */
export function findEntry<Entry>(table: Readonly<Record<string, Entry>>, ref: ModelRef): Entry | undefined {
  for (const name of tableNames(ref)) {
    const key = [name, name.replace(VERSION_SUFFIX, '')].find((candidate) => Object.hasOwn(table, candidate));
    if (key !== undefined) return table[key];
  }
  return undefined;
}

/**
 * Merged entry of a model in a table whose names may contain `*`. Case does not matter in patterns. A name without `*` overrides all patterns, a
 * pattern of the endpoint overrides one of its protocol, and a longer pattern overrides a shorter one. The order of the table has no effect.
 */
export function mergedEntry<Entry extends object>(
  table: Readonly<Record<string, Entry>>,
  ref: ModelRef,
): Partial<Entry> {
  const names = tableNames(ref);
  const matching = Object.entries(table)
    .filter(([pattern]) => pattern.includes('*'))
    .map(([pattern, entry]) => ({ pattern, entry, rank: names.findIndex((name) => matchesPattern(pattern, name)) }))
    .filter(({ rank }) => rank >= 0)
    .toSorted((a, b) => b.rank - a.rank || a.pattern.length - b.pattern.length);
  return Object.assign({}, ...matching.map(({ entry }) => entry), findEntry(table, ref)) as Partial<Entry>;
}

/** True if a name matches a pattern. Linear time for any pattern, unlike a regular expression. */
function matchesPattern(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const last = rest.pop();
  let remainder = name.toLowerCase();
  if (last === undefined) return remainder === first;
  if (!remainder.startsWith(first)) return false;
  remainder = remainder.slice(first.length);
  for (const part of rest) {
    const index = remainder.indexOf(part);
    if (index < 0) return false;
    remainder = remainder.slice(index + part.length);
  }
  return remainder.endsWith(last);
}

export interface ModelCapabilities {
  /** True if it accepts images. True for unknown models. */
  readonly acceptsImages: boolean;
  /** Computer tool of its provider for each surface; empty: it has none. */
  readonly computer: Readonly<Partial<Record<SurfaceKind, ComputerTool>>>;
  /** Text format of actions; undefined: unknown, function calls are tried first. */
  readonly dialect?: Dialect | undefined;
  /** False: it refuses a temperature. */
  readonly temperature: boolean;
  /** Context window in tokens; undefined: unknown. */
  readonly contextTokens?: number | undefined;
  /** Maximum tokens of an answer; undefined: unknown. */
  readonly outputTokens?: number | undefined;
  /** Minimum of the output limit in a request. */
  readonly minOutputTokens: number;
  /** Length of the rules and functions of the agent. */
  readonly profile: 'full' | 'compact';
}

/** Context windows below this size, in tokens, get the compact profile. */
const COMPACT_CONTEXT_TOKENS = 16_000;

const entries = capabilityTable as Readonly<Record<string, Partial<ModelCapabilities>>>;

/** Capabilities of a model. The settings of the installation override the built-in table. */
export function capabilitiesOf(ref: ModelRef): ModelCapabilities {
  const { acceptsImages, computer, dialect, temperature, minOutputTokens, ...table } = mergedEntry(entries, ref);
  const { entry } = ref;
  const contextTokens = entry?.contextTokens ?? table.contextTokens;
  const isSmall = contextTokens !== undefined && contextTokens < COMPACT_CONTEXT_TOKENS;
  return {
    acceptsImages: entry?.acceptsImages ?? acceptsImages ?? true,
    computer: computer ?? {},
    dialect: entry?.dialect ?? dialect,
    temperature: entry?.temperature ?? temperature ?? true,
    contextTokens,
    outputTokens: entry?.outputTokens ?? table.outputTokens,
    minOutputTokens: entry?.minOutputTokens ?? minOutputTokens ?? 1,
    profile: entry?.profile ?? table.profile ?? (isSmall ? 'compact' : 'full'),
  };
}

const toolProtocols: Readonly<Record<ComputerTool, Provider>> = {
  computer_toolset_20260801: 'anthropic',
  computer_20251124: 'anthropic',
  browser_toolset_20260801: 'anthropic',
  openai_computer: 'openai',
  gemini_computer_use: 'gemini',
};

/**
 * Computer tool of a call: that of the request, else of the settings, else the known tool of the model.
 * @returns null: functions only. Also for a tool of another protocol, e.g. of a fallback model, and for a browser tool on a desktop
 */
export function computerToolOf(ref: ModelRef, { computer }: Pick<ModelRequest, 'computer'>): ComputerTool | null {
  if (!computer) return null;
  const tool = computer.tool ?? ref.entry?.computerTool ?? capabilitiesOf(ref).computer[computer.surface];
  if (tool === undefined || tool === 'none' || toolProtocols[tool] !== ref.protocol) return null;
  return tool === 'browser_toolset_20260801' && !surfaceTraits[computer.surface].isPaged ? null : tool;
}

/**
 * Settings of a tuned model: its own, and those of its base where they are unknown.
 * @param base null: unknown
 */
export function inheritedEntry(ref: ModelRef, base: ModelRef | null): ModelEntry {
  const { entry = {} } = ref;
  if (!base) return entry;
  const { computer: _ownTool, ...ownTable } = mergedEntry(entries, ref);
  const { computer: _baseTool, ...baseTable } = mergedEntry(entries, base);
  const price = entry.price ?? findEntry(prices, ref) ?? base.entry?.price ?? findEntry(prices, base);
  return {
    ...{ acceptsImages: capabilitiesOf(base).acceptsImages, ...baseTable, ...base.entry, ...ownTable, ...entry },
    ...(price && { price }),
  };
}

interface Price extends ModelPrice {
  /** Price of calls with more than `tokens` input tokens. */
  readonly above?: ModelPrice & { readonly tokens: number };
  /** Announced change. */
  readonly changes?: ModelPrice & { readonly from: string };
  /** Key of its source. */
  readonly source?: string;
}

const prices: Readonly<Record<string, Price>> = priceTable.prices;

/** Where a price was read. */
interface PriceSource {
  readonly kind: string;
  readonly url: string;
  /** Date, e.g. `2026-11-30`. */
  readonly read: string;
  readonly note?: string;
}

const priceSources: Readonly<Record<string, PriceSource>> = priceTable.sources;

/** A price with its source. */
export interface KnownPrice extends ModelPrice {
  /** `provider/model`, or a pattern of the settings. */
  readonly model: string;
  readonly above?: Price['above'];
  /** Announced change. */
  readonly changes?: Price['changes'];
  /** null: the settings of the installation. */
  readonly source: PriceSource | null;
}

/** All known prices, those of the installation first. */
export function knownPrices(entries: Readonly<Record<string, ModelEntry>> = {}): KnownPrice[] {
  const configured = Object.entries(entries).flatMap(([model, { price }]) =>
    price ? [{ model, ...price, source: null }] : [],
  );
  const builtIn = Object.entries(prices).map(([model, { source, ...price }]) => ({
    model,
    ...price,
    source: priceSources[source ?? ''] ?? null,
  }));
  return [...configured, ...builtIn];
}

/**
 * Price of tuning a base model in US dollars per million tokens.
 * @param entries settings of the installation by model
 * @returns null: not configured
 */
export const trainingPrice = (
  base: ModelRef,
  entries: Readonly<Record<string, ModelEntry>> | undefined,
): number | null => mergedEntry(entries ?? {}, base).trainingUsdPerMillionTokens ?? null;

/** Tokens of a call, including those written to the cache of the provider. */
export interface BilledUsage extends ModelUsage {
  readonly cacheWriteTokens?: number;
}

/** Price on a date, after announced changes. A change begins at midnight UTC and replaces all rates. */
function priceOn(date: Date, price: Price): Price {
  const { changes } = price;
  return changes && date.getTime() >= Date.parse(changes.from) ? changes : price;
}

/** Price of a call on a date in US dollars; null if the price of the model is unknown. */
export function priceUsd(ref: ModelRef, usage: BilledUsage, date: Date): number | null {
  const knownPrice: Price | undefined = ref.entry?.price ?? findEntry(prices, ref);
  if (!knownPrice) return null;
  const price = priceOn(date, knownPrice);
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens = 0 } = usage;
  const uncachedTokens = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens);
  const rates = price.above && inputTokens > price.above.tokens ? price.above : price;
  const { input, output, cacheRead = input, cacheWrite = input } = rates;
  const inputUsd = uncachedTokens * input + cachedTokens * cacheRead + cacheWriteTokens * cacheWrite;
  return (inputUsd + outputTokens * output) / 1_000_000;
}

/** Upper bound for the tokens of an image: providers count 260 to 1,600 for 1280 × 800 pixels. */
const IMAGE_TOKENS = 2_000;

/**
 * Lower bound for the bytes of a token. English and JSON have three to four, scripts with three bytes per letter about
 * three.
 */
export const BYTES_PER_TOKEN = 3;

/** Upper bound of the usage of a call. */
export interface Estimate {
  /** `endpoint/model`. */
  readonly model: string;
  readonly tokens: number;
  /** null: the price of the model is unknown. */
  readonly usd: number | null;
  /** The part for the input. */
  readonly input: { readonly tokens: number; readonly usd: number | null };
}

/** Estimates the tokens of a prompt, at most. */
export function estimateInputTokens({ system, messages, tools, schema, computer }: ModelRequest): number {
  let bytes = Buffer.byteLength(system) + sizeOf(tools) + sizeOf(schema);
  let images = 0;
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if ('image' in part) images += 1;
    else bytes += sizeOf(part);
  }
  for (const exchange of computer?.exchanges ?? []) {
    bytes += exchangeBytes(exchange);
    // The messages have the screenshot once; each further result with it repeats it.
    images += Math.max(0, exchange.results.filter(({ hasImage }) => hasImage).length - 1);
  }
  return Math.ceil(bytes / BYTES_PER_TOKEN) + images * IMAGE_TOKENS;
}

/** Estimates the maximum usage of a call on a date: all input uncached, the output at its limit. */
export function estimate(ref: ModelRef, request: ModelRequest, date: Date): Estimate {
  const inputTokens = estimateInputTokens(request);
  const { maxTokens: outputTokens = DEFAULT_MODEL_TOKENS } = request;
  const usage = { inputTokens, outputTokens, cachedTokens: 0, cacheWriteTokens: inputTokens };
  return {
    model: fullModelName(ref),
    tokens: inputTokens + outputTokens,
    usd: priceUsd(ref, usage, date),
    input: { tokens: inputTokens, usd: priceUsd(ref, { ...usage, outputTokens: 0 }, date) },
  };
}

const sizeOf = (value: unknown) => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)));
