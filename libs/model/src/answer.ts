import {
  modelAnswerSchema,
  type ModelAnswer,
  type ModelCall,
  type ModelFinish,
  type ModelRequest,
} from '@pilothouse/contract';
import { UnusableAnswerError } from '@pilothouse/core';
import { fullModelName, type ModelRef } from './endpoint.ts';
import { priceUsd, type BilledUsage } from './price.ts';

/** What an adapter read of an answer. */
export interface ProviderAnswer {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly finish: ModelFinish;
  readonly used: BilledUsage;
  /** Why nobody can use it. */
  readonly unusable?: string | undefined;
}

/**
 * The answer with its price.
 * @throws UnusableAnswerError when the adapter said so, or when JSON was asked for and this is none
 */
export function toModelAnswer(
  ref: ModelRef,
  request: Pick<ModelRequest, 'schema'>,
  read: ProviderAnswer,
  ms: number,
): ModelAnswer {
  const { finish } = read;
  const used = countedOf(read.used);
  const { inputTokens, outputTokens, cachedTokens } = used;
  const { provider, model } = ref;
  const known = {
    finish,
    provider,
    model,
    usage: { inputTokens, outputTokens, cachedTokens },
    usd: priceUsd(ref, used),
    ms,
  };
  const { success, data } = modelAnswerSchema.safeParse({ text: read.text, calls: [...read.calls], ...known });
  const answer: ModelAnswer = data ?? { text: '', calls: [], ...known };
  const { text } = answer;
  const unusable = read.unusable ?? (success ? undefined : 'it is not of the form that the provider promises');
  const why = unusable ?? (request.schema && finish === 'stop' && !isJson(text) ? 'it is not JSON' : undefined);
  if (why) throw new UnusableAnswerError(`The answer of ${fullModelName(ref)} cannot be used: ${why}`, answer);
  return answer;
}

/** Tokens as a provider says them, which may be anything. */
function countedOf({ inputTokens, outputTokens, cachedTokens, writtenTokens = 0 }: BilledUsage): Required<BilledUsage> {
  const count = (given: number) => (Number.isSafeInteger(given) && given > 0 ? given : 0);
  const input = count(inputTokens);
  const cached = Math.min(count(cachedTokens), input);
  return {
    inputTokens: input,
    outputTokens: count(outputTokens),
    cachedTokens: cached,
    writtenTokens: Math.min(count(writtenTokens), input - cached),
  };
}

/** Arguments of a call as an object; undefined when they are none. */
export function parseArguments(text: string): ModelCall['args'] | undefined {
  if (text.trim() === '') return {};
  try {
    const args: unknown = JSON.parse(text);
    return typeof args === 'object' && args !== null && !Array.isArray(args) ? (args as ModelCall['args']) : undefined;
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
