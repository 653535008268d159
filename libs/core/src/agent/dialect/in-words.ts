import type { Dialect, ModelMessage, ModelRequest } from '@pilothouse/contract';
import { imagesOf } from '../../model/images.ts';
import { auraWords } from './words/aura.ts';
import { DESKPILOT_WORDS } from './words/deskpilot.ts';
import { ECHO_PRISM_WORDS } from './words/echo-prism.ts';
import { UI_TARS_15_WORDS, UI_TARS_WORDS } from './words/ui-tars.ts';

/** A dialect in which actions stand in the text. */
export type TextDialect = Exclude<Dialect, 'calls'>;

/** A request without functions, and the dialect that its answer is read by. */
export interface InWords {
  readonly request: ModelRequest;
  readonly dialect: TextDialect;
}

/** Dialects that know elements by their places in a picture alone. */
const pointing: ReadonlySet<TextDialect> = new Set(['echo-prism', 'ui-tars', 'ui-tars-1.5']);

/**
 * The request for a model that calls no functions: words say how actions are written. A model that points into pictures is asked in JSON
 * where there is none.
 */
export function inWords(request: ModelRequest, wanted: TextDialect): InWords {
  const dialect = pointing.has(wanted) && imagesOf(request).length === 0 ? 'aura' : wanted;
  const { tools = [], computer: _, system, messages, ...rest } = request;
  const asked = (words: Pick<ModelRequest, 'system' | 'messages'>) => ({ request: { ...rest, ...words }, dialect });
  switch (dialect) {
    case 'aura':
      return asked({ system: behind(system, auraWords(tools)), messages });
    case 'deskpilot':
      return asked({ system: behind(system, DESKPILOT_WORDS), messages });
    case 'echo-prism':
      return asked({ system: ECHO_PRISM_WORDS, messages });
    // It was trained with its prompt in the place of what the user says first.
    case 'ui-tars':
      return asked({ system: '', messages: before(messages, UI_TARS_WORDS) });
    case 'ui-tars-1.5':
      return asked({ system: '', messages: before(messages, UI_TARS_15_WORDS) });
  }
}

const behind = (system: string, words: string) => (system === '' ? words : `${system}\n\n${words}`);

function before([first, ...more]: readonly ModelMessage[], text: string): ModelMessage[] {
  return first ? [{ ...first, parts: [{ text }, ...first.parts] }, ...more] : [];
}
