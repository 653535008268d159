import type { AbilityResult, ModelAbility, ModelCheck } from '@pilothouse/contract/model/model-check.schema';
import type { Dialect, ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import { toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ModelEntry } from '@pilothouse/contract/model/model-settings.schema';
import { hasFunctionCalls } from '@pilothouse/core/agent/dialects/aura.dialect';
import { parseStructured } from '@pilothouse/core/model/structured-output';
import { UnusableAnswerError, type ModelContext } from '@pilothouse/core/ports/model.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { askChosenModels, type CallLedger } from './charged-call.ts';
import type { CheckedModel, ConfiguredModel } from './configured-models.ts';
import { fullModelName } from './model-endpoint.ts';
import { mayBeUnsupported, ModelCallError } from './provider-errors.ts';
import { isImageRefusal } from './refused-options.ts';

/* Calls a model once per ability, as the agent will. */

/** A red square of 16 × 16 pixels as JPEG. */
const RED_SQUARE =
  '/9j/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAQABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABQf/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCfADKS/9k=';

const MAX_TOKENS = 1000;

/** Maximum milliseconds of a call. */
const CALL_TIMEOUT_MS = 60_000;

const base = (text: string): ModelRequest => ({
  role: 'act',
  prompt: { name: 'check', version: 1 },
  system: 'You are tested. Answer as short as possible.',
  messages: [{ role: 'user', parts: [{ text }] }],
  maxTokens: MAX_TOKENS,
});

const schema = {
  type: 'object',
  properties: { color: { type: 'string', enum: ['red', 'green'] } },
  required: ['color'],
  additionalProperties: false,
};

const clickTool = {
  name: 'click',
  description: 'Clicks an element',
  parameters: { type: 'object', properties: { element: { type: 'integer' } }, required: ['element'] },
};

const requests: Readonly<Record<ModelAbility, ModelRequest>> = {
  text: base('Reply with the word ready.'),
  functions: { ...base('Click the element with the number 7.'), tools: [clickTool] },
  schema: { ...base('The grass is green. Which color is it? Reply with JSON.'), schema },
  image: {
    ...base(''),
    role: 'vision',
    messages: [
      {
        role: 'user',
        parts: [
          { text: 'Which color is the image: red, green or blue? Reply with one word.' },
          { image: { contentType: 'image/jpeg', data: RED_SQUARE } },
        ],
      },
    ],
  },
  streaming: base('Count from one to ten in words.'),
};

/** Colors that the image may have, as whole words. */
const COLORS = /\b(?:red|green|blue)\b/gi;

/** Problem of an answer; null: the ability works. */
const problems: Readonly<Record<ModelAbility, (answer: ModelAnswer, parts: number) => string | null>> = {
  text: ({ text }) => (text.trim() === '' ? 'The answer is empty' : null),
  functions: ({ calls, text }) => {
    const [call] = calls;
    if (call) return Number(call.args['element']) === 7 ? null : `It called ${call.name} with other arguments`;
    return hasFunctionCalls(text) ? 'It wrote the call as text' : 'It called no function';
  },
  schema: ({ text }) => {
    const parsed = parseStructured(schema, text);
    return 'problem' in parsed ? parsed.problem : null;
  },
  image: ({ text }) => {
    const colors = text.match(COLORS) ?? [];
    const isRed = colors.length > 0 && colors.every((color) => color.toLowerCase() === 'red');
    return isRed ? null : 'It did not see that the image is red';
  },
  streaming: (_, parts) => (parts > 1 ? null : 'The answer came in one part'),
};

interface Checked extends AbilityResult {
  readonly tokens: number;
  readonly usd: number | null;
}

/**
 * Checks a model. Each call is in the ledger and may take 60 s. After the deadline no further ability is checked. Abilities whose calls get
 * no answer are unknown, and nothing is recommended from them.
 * @throws PilothouseError BUDGET_EXCEEDED; the reason of the signal
 */
export async function checkModel(
  { whole, streamed }: CheckedModel,
  ledger: CallLedger,
  context: ModelContext,
  clock: Clock,
): Promise<ModelCheck> {
  const results: Checked[] = [];
  for (const ability of Object.keys(requests) as ModelAbility[]) {
    context.signal.throwIfAborted();
    if (clock.monotonic() >= context.deadline) break;
    results.push(await checkAbility(ability, ability === 'streaming' ? streamed : whole, ledger, context, clock));
    // Without an answer at all, the other calls would only take time.
    if (ability === 'text' && !results[0]?.works) break;
  }
  const works = (ability: ModelAbility) => results.find((result) => result.ability === ability)?.works ?? null;
  const dialect: Dialect | null = works('functions') ? 'calls' : works('functions') === false ? 'aura' : null;
  const settings: ModelEntry = {
    ...(dialect === 'aura' && { dialect }),
    ...(works('image') === false && { acceptsImages: false }),
  };
  return {
    model: fullModelName(whole.ref),
    abilities: results.map(({ tokens: _tokens, usd: _usd, ...result }) => result),
    dialect,
    settings,
    tokens: results.reduce((sum, { tokens }) => sum + tokens, 0),
    usd: results.some(({ usd }) => usd === null) ? null : results.reduce((sum, { usd }) => sum + (usd ?? 0), 0),
  };
}

/** Maximum characters of a detail. */
const MAX_DETAIL_CHARS = 300;

async function checkAbility(
  ability: ModelAbility,
  model: ConfiguredModel,
  ledger: CallLedger,
  context: ModelContext,
  clock: Clock,
): Promise<Checked> {
  const startedMs = clock.monotonic();
  const deadline = Math.min(context.deadline, startedMs + CALL_TIMEOUT_MS);
  const seconds = () => Math.round(clock.monotonic() - startedMs) / 1000;
  let parts = 0;
  try {
    const answer = await askChosenModels(
      requests[ability],
      { ...context, deadline, onText: () => void (parts += 1) },
      {
        providers: { get: () => model },
        choice: { use: [fullModelName(model.ref)] },
        ledger,
        clock,
      },
    );
    const problem = problems[ability](answer, parts);
    const { usage, usd, durationMs } = answer;
    const isCounted = usage.outputTokens > 0 && !usage.estimated && durationMs > 0;
    return {
      ability,
      works: problem === null,
      detail: (problem ?? (answer.text.trim() || answer.calls.map(({ name }) => name).join())).slice(
        0,
        MAX_DETAIL_CHARS,
      ),
      seconds: seconds(),
      tokensPerSecond: isCounted ? Math.round((usage.outputTokens / durationMs) * 10_000) / 10 : null,
      tokens: usage.inputTokens + usage.outputTokens,
      usd,
    };
  } catch (thrown) {
    context.signal.throwIfAborted();
    const { code, message } = toPilothouseError(thrown);
    if (code === 'BUDGET_EXCEEDED') throw thrown;
    const { usage, usd } = thrown instanceof UnusableAnswerError ? thrown.answer : UNUSED;
    return {
      ability,
      works: isInability(thrown, ability) ? false : null,
      detail: message.slice(0, MAX_DETAIL_CHARS),
      seconds: seconds(),
      tokensPerSecond: null,
      tokens: usage.inputTokens + usage.outputTokens,
      usd,
    };
  }
}

/** Usage of a call without an answer. */
const UNUSED: Pick<ModelAnswer, 'usage' | 'usd'> = {
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
  usd: 0,
};

/** True if an error shows that the model cannot do it. After e.g. a rate limit or a timeout it is unknown. */
const isInability = (thrown: unknown, ability: ModelAbility): boolean =>
  thrown instanceof UnusableAnswerError ||
  (ability === 'image' && isImageRefusal(thrown)) ||
  mayBeUnsupported(thrown) ||
  (thrown instanceof ModelCallError && thrown.code === 'MODEL_REFUSED');
