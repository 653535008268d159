import {
  modelAnswerSchema,
  type ModelAnswer,
  type ModelCall,
  type ModelFinish,
  type ModelRequest,
} from '@pilothouse/contract';
import { UnusableAnswer } from '@pilothouse/core';
import { nameOf, type ModelRef } from './endpoint.ts';
import { priceOf, type Used } from './price.ts';

/** What an adapter read of an answer. */
export interface Read {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly finish: ModelFinish;
  readonly used: Used;
  /** Why nobody can use it. */
  readonly unusable?: string | undefined;
}

/**
 * The answer with its price.
 * @throws UnusableAnswer when the adapter said so, or when JSON was asked for and this is none
 */
export function answerOf(ref: ModelRef, request: Pick<ModelRequest, 'schema'>, read: Read, ms: number): ModelAnswer {
  const { finish } = read;
  const used = countedOf(read.used);
  const { inputTokens, outputTokens, cachedTokens } = used;
  const { provider, model } = ref;
  const known = {
    finish,
    provider,
    model,
    usage: { inputTokens, outputTokens, cachedTokens },
    usd: priceOf(ref, used),
    ms,
  };
  const { success, data } = modelAnswerSchema.safeParse({ text: read.text, calls: [...read.calls], ...known });
  const answer: ModelAnswer = data ?? { text: '', calls: [], ...known };
  const { text } = answer;
  const unusable = read.unusable ?? (success ? undefined : 'it is not of the form that the provider promises');
  const why = unusable ?? (request.schema && finish === 'stop' && !isJson(text) ? 'it is not JSON' : undefined);
  if (why) throw new UnusableAnswer(`The answer of ${nameOf(ref)} cannot be used: ${why}`, answer);
  return answer;
}

/** Tokens as a provider says them, which may be anything. */
function countedOf({ inputTokens, outputTokens, cachedTokens, writtenTokens = 0 }: Used): Required<Used> {
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
export function argsOf(text: string): ModelCall['args'] | undefined {
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
