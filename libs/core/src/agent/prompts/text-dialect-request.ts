import type { Dialect, ModelMessage, ModelRequest, ModelTool } from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { imagesOf } from '../../model/request-images.ts';
import { hasExpectationParameters } from '../tools/tool-schemas.ts';
import { HEAL_VISION_PROMPT } from './heal.prompt.ts';
import { promptForSurface } from './prompt-surface.ts';
import { auraInstructions } from '../dialects/aura.dialect.ts';
import { deskPilotInstructions } from '../dialects/deskpilot.dialect.ts';
import { echoPrismInstructions } from '../dialects/echo-prism.dialect.ts';
import { uiTars15Instructions, uiTarsInstructions } from '../dialects/ui-tars.dialect.ts';

/** A dialect that writes actions as text. */
export type TextDialect = Exclude<Dialect, 'calls'>;

/** A request without functions, and the dialect of its answer. */
export interface TextDialectRequest {
  readonly request: ModelRequest;
  readonly dialect: TextDialect;
}

/** Dialects that name elements only by points in a screenshot. */
const POINTING_DIALECTS: ReadonlySet<TextDialect> = new Set(['echo-prism', 'ui-tars', 'ui-tars-1.5']);

/** True if the prompt of the dialect fits: it asks for the next action, not for a lost element. */
const asksForAction = ({ prompt, surface = 'browser' }: ModelRequest) =>
  prompt.name !== promptForSurface(surface, HEAL_VISION_PROMPT).name;

/**
 * Converts a request for a model without function calling. Instructions describe the syntax of actions. A pointing model gets JSON
 * instructions if the request has no screenshot, or if the prompt of its dialect does not fit.
 */
export function toTextDialectRequest(request: ModelRequest, requestedDialect: TextDialect): TextDialectRequest {
  const dialect =
    POINTING_DIALECTS.has(requestedDialect) && !(imagesOf(request).length > 0 && asksForAction(request))
      ? 'aura'
      : requestedDialect;
  const { tools = [], computer: _, surface = 'browser', system, messages, ...rest } = request;
  const answerSchema = answerSchemaOf(tools);
  const withPrompt = (prompt: Pick<ModelRequest, 'system' | 'messages'>) => ({
    request: { ...rest, ...prompt },
    dialect,
  });
  switch (dialect) {
    case 'aura':
      return withPrompt({ system: appendInstructions(system, auraInstructions(tools)), messages });
    case 'deskpilot':
      return withPrompt({
        system: appendInstructions(
          system,
          deskPilotInstructions(answerSchema, hasExpectationParameters(tools), surface),
        ),
        messages,
      });
    case 'echo-prism':
      return withPrompt({ system: echoPrismInstructions(answerSchema, surface), messages });
    // The model was trained with its prompt as the first user message.
    case 'ui-tars':
      return withPrompt({ system: '', messages: prependText(messages, uiTarsInstructions(answerSchema, surface)) });
    case 'ui-tars-1.5':
      return withPrompt({ system: '', messages: prependText(messages, uiTars15Instructions(answerSchema, surface)) });
  }
}

/** JSON Schema of the answer of the goal; null: a text, or no answer. */
function answerSchemaOf(tools: readonly ModelTool[]): string | null {
  const { properties } = (tools.find(({ name }) => name === 'done')?.parameters ?? {}) as {
    properties?: { answer?: Json };
  };
  const answer = properties?.answer;
  const isText = answer === undefined || (answer as { type?: Json }).type === 'string';
  return isText ? null : JSON.stringify(answer);
}

const appendInstructions = (system: string, prompt: string) => (system === '' ? prompt : `${system}\n\n${prompt}`);

function prependText([first, ...otherMessages]: readonly ModelMessage[], text: string): ModelMessage[] {
  return first ? [{ ...first, parts: [{ text }, ...first.parts] }, ...otherMessages] : [];
}
