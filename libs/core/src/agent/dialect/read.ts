import type { Dialect, ModelAnswer } from '@pilothouse/contract';
import { MAX_MOVES, type Move, type Reading } from '../move.ts';
import { isAura, readAura } from './aura.ts';
import { readCalls, unreadable } from './calls.ts';
import { isDeskPilot, readDeskPilot } from './deskpilot.ts';
import { isEchoPrism, readEchoPrism } from './echo-prism.ts';
import { fromCredentials } from '../secrets.ts';
import type { Sight } from './place.ts';
import { isUiTars, readUiTars, readUiTars15 } from './ui-tars.ts';

/**
 * Reads what a model answered: function calls where there are any, else its text by the dialect that the model was asked in. Where nobody
 * said which, the dialect that the text is of. Never throws; what is not understood is a problem and no action.
 */
export function readAnswer(answer: Pick<ModelAnswer, 'text' | 'calls' | 'dialect'>, sight: Sight): Reading {
  const { text, calls, dialect } = answer;
  const said = calls.length > 0 ? readCalls(text, calls, sight) : readers[dialect ?? 'any'](text, sight);
  const read = { ...said, moves: said.moves.map((move) => asRunsSay(move, sight)) };
  if (read.moves.length <= MAX_MOVES) return read;
  const problems = [...read.problems, `Only ${MAX_MOVES} actions are taken in a turn: the others were left out`];
  return { ...read, moves: read.moves.slice(0, MAX_MOVES), problems };
}

/** What is typed, with its secrets as runs name them. */
const asRunsSay = (move: Move, { secrets }: Sight): Move =>
  move.kind === 'act' && move.action.action === 'type'
    ? { ...move, action: { ...move.action, text: fromCredentials(move.action.text, secrets) } }
    : move;

/** Reads a text without a call. */
type Reader = (text: string, sight: Sight) => Reading;

const prose: Reader = (text) => unreadable(text, 'There is no action in the answer: call a function');

const guessed: Reader = (text, sight) => {
  if (isEchoPrism(text)) return readEchoPrism(text, sight);
  if (isUiTars(text)) return readUiTars(text, sight);
  if (isDeskPilot(text)) return readDeskPilot(text);
  return isAura(text) ? readAura(text) : prose(text, sight);
};

const readers: Readonly<Record<Dialect | 'any', Reader>> = {
  any: guessed,
  // A model that calls functions says in its text what it thinks.
  calls: prose,
  aura: readAura,
  deskpilot: readDeskPilot,
  'echo-prism': readEchoPrism,
  'ui-tars': readUiTars,
  'ui-tars-1.5': readUiTars15,
};
