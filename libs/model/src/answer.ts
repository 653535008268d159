import type { ModelAnswer, ModelCall, ModelFinish, ModelRequest } from '@pilothouse/contract';
import { UnusableAnswer } from '@pilothouse/core';
import type { ModelRef } from './endpoint.ts';
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
  const { text, calls, finish, used, unusable } = read;
  const { inputTokens, outputTokens, cachedTokens } = used;
  const answer: ModelAnswer = {
    text,
    calls: [...calls],
    finish,
    ...ref,
    usage: { inputTokens, outputTokens, cachedTokens },
    usd: priceOf(ref, used),
    ms,
  };
  const why = unusable ?? (request.schema && finish === 'stop' && !isJson(text) ? 'it is not JSON' : undefined);
  if (why) throw new UnusableAnswer(`The answer of ${ref.provider}/${ref.model} cannot be used: ${why}`, answer);
  return answer;
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
