import type { Dialect, Json, ModelMessage, ModelRequest, ModelTool } from '@pilothouse/contract';
import { imagesOf } from '../../model/request-images.ts';
import { asksForExpectation } from '../tools/tool-schemas.ts';
import { HEAL_PICTURE_PROMPT } from '../prompts/heal.prompt.ts';
import { auraInstructions } from './aura.dialect.ts';
import { deskPilotInstructions } from './deskpilot.dialect.ts';
import { echoPrismInstructions } from './echo-prism.dialect.ts';
import { uiTars15Instructions, uiTarsInstructions } from './ui-tars.dialect.ts';

/** A dialect in which actions stand in the text. */
export type TextDialect = Exclude<Dialect, 'calls'>;

/** A request without functions, and the dialect that its answer is read by. */
export interface TextDialectRequest {
  readonly request: ModelRequest;
  readonly dialect: TextDialect;
}

/** Dialects that know elements by their places in a picture alone. */
const pointing: ReadonlySet<TextDialect> = new Set(['echo-prism', 'ui-tars', 'ui-tars-1.5']);

/** Whether its own prompt says what is wanted of it: what to do next, and not what stands for something that was lost. */
const isActing = ({ prompt }: ModelRequest) => prompt.name !== HEAL_PICTURE_PROMPT.name;

/**
 * The request for a model that calls no functions: words say how actions are written. A model that points into pictures is asked in JSON
 * where there is none, or where its own prompt would say the wrong thing.
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
    // It was trained with its prompt in the place of what the user says first.
    case 'ui-tars':
      return asked({ system: '', messages: before(messages, uiTarsInstructions(form)) });
    case 'ui-tars-1.5':
      return asked({ system: '', messages: before(messages, uiTars15Instructions(form)) });
  }
}

/** JSON Schema of the answer that a goal asks for; null: it is a text, or there is none. */
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
