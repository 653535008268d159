import type { Dialect, Json, ModelMessage, ModelRequest, ModelTool } from '@pilothouse/contract';
import { imagesOf } from '../../model/request-images.ts';
import { asksForExpectation } from '../tools/tool-schemas.ts';
import { HEAL_PICTURE_PROMPT } from '../prompts/heal.prompt.ts';
import { auraInstructions } from './aura.dialect.ts';
import { deskPilotInstructions } from './deskpilot.dialect.ts';
import { echoPrismInstructions } from './echo-prism.dialect.ts';
import { uiTars15Instructions, uiTarsInstructions } from './ui-tars.dialect.ts';

/** A dialect that writes actions as text. */
export type TextDialect = Exclude<Dialect, 'calls'>;

/** A request without functions, and the dialect of its answer. */
export interface TextDialectRequest {
  readonly request: ModelRequest;
  readonly dialect: TextDialect;
}

/** Dialects that name elements only by points in a screenshot. */
const pointing: ReadonlySet<TextDialect> = new Set(['echo-prism', 'ui-tars', 'ui-tars-1.5']);

/** True if the prompt of the dialect fits: it asks for the next action, not for a lost element. */
const isActing = ({ prompt }: ModelRequest) => prompt.name !== HEAL_PICTURE_PROMPT.name;

/**
 * Converts a request for a model without function calling. Instructions describe the syntax of actions. A pointing model gets JSON
 * instructions if the request has no screenshot, or if the prompt of its dialect does not fit.
 */
export function toTextDialectRequest(request: ModelRequest, wanted: TextDialect): TextDialectRequest {
  const dialect = pointing.has(wanted) && !(imagesOf(request).length > 0 && isActing(request)) ? 'aura' : wanted;
  const { tools = [], computer: _, system, messages, ...rest } = request;
  const form = answerForm(tools);
  const asked = (words: Pick<ModelRequest, 'system' | 'messages'>) => ({ request: { ...rest, ...words }, dialect });
  switch (dialect) {
    case 'aura':
      return asked({ system: behind(system, auraInstructions(tools)), messages });
    case 'deskpilot':
      return asked({ system: behind(system, deskPilotInstructions(form, asksForExpectation(tools))), messages });
    case 'echo-prism':
      return asked({ system: echoPrismInstructions(form), messages });
    // The model was trained with its prompt as the first user message.
    case 'ui-tars':
      return asked({ system: '', messages: before(messages, uiTarsInstructions(form)) });
    case 'ui-tars-1.5':
      return asked({ system: '', messages: before(messages, uiTars15Instructions(form)) });
  }
}

/** JSON Schema of the answer of the goal; null: a text, or no answer. */
function answerForm(tools: readonly ModelTool[]): string | null {
  const { properties } = (tools.find(({ name }) => name === 'done')?.parameters ?? {}) as {
    properties?: { answer?: Json };
  };
  const answer = properties?.answer;
  const isText = answer === undefined || (answer as { type?: Json }).type === 'string';
  return isText ? null : JSON.stringify(answer);
}

const behind = (system: string, words: string) => (system === '' ? words : `${system}\n\n${words}`);

function before([first, ...more]: readonly ModelMessage[], text: string): ModelMessage[] {
  return first ? [{ ...first, parts: [{ text }, ...first.parts] }, ...more] : [];
}
