import { DEFAULT_MODEL_TOKENS, type ModelRequest } from '@pilothouse/contract';
import type { ModelRef } from './endpoint.ts';
import { priceUsd } from './price.ts';

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
