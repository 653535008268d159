import type { Dialect, ModelAnswer } from '@pilothouse/contract';
import { MAX_ACTIONS_PER_TURN, type PlannedAction, type ParsedAnswer } from '../agent-protocol.ts';
import { isAura, parseAura } from './aura.dialect.ts';
import { parseFunctionCalls, unparsableAnswer } from './answer-parts.ts';
import { isDeskPilot, parseDeskPilot } from './deskpilot.dialect.ts';
import { isEchoPrism, parseEchoPrism } from './echo-prism.dialect.ts';
import { fromCredentialPlaceholders } from '../../secret/secret-placeholders.ts';
import type { AnswerContext } from '../tools/action-arguments.ts';
import { isUiTars, parseUiTars, parseUiTars15 } from './ui-tars.dialect.ts';
import { isTextEntry } from '../page-queries.ts';

/**
 * Reads what a model answered: function calls where there are any, else its text by the dialect that the model was asked in. Where nobody
 * said which, the dialect that the text is of. Never throws; what is not understood is a problem and no action.
 */
export function parseAnswer(
  answer: Pick<ModelAnswer, 'text' | 'calls' | 'dialect'>,
  sight: AnswerContext,
): ParsedAnswer {
  const { text, calls, dialect } = answer;
  const said = calls.length > 0 ? parseFunctionCalls(text, calls, sight) : readers[dialect ?? 'any'](text, sight);
  const read = { ...said, moves: said.moves.map((move) => asRunsSay(move, sight)) };
  if (read.moves.length <= MAX_ACTIONS_PER_TURN) return read;
  const problems = [
    ...read.problems,
    `Only ${MAX_ACTIONS_PER_TURN} actions are taken in a turn: the others were left out`,
  ];
  return { ...read, moves: read.moves.slice(0, MAX_ACTIONS_PER_TURN), problems };
}

/** What is typed, with its secrets as runs name them. */
const asRunsSay = (move: PlannedAction, { secrets }: AnswerContext): PlannedAction =>
  move.kind === 'act' && isTextEntry(move.action)
    ? { ...move, action: { ...move.action, text: fromCredentialPlaceholders(move.action.text, secrets) } }
    : move;

/** Reads a text without a call. */
type Reader = (text: string, sight: AnswerContext) => ParsedAnswer;

const prose: Reader = (text) => unparsableAnswer(text, 'There is no action in the answer: call a function');

const guessed: Reader = (text, sight) => {
  if (isEchoPrism(text)) return parseEchoPrism(text, sight);
  if (isUiTars(text)) return parseUiTars(text, sight);
  if (isDeskPilot(text)) return parseDeskPilot(text);
  return isAura(text) ? parseAura(text) : prose(text, sight);
};

const readers: Readonly<Record<Dialect | 'any', Reader>> = {
  any: guessed,
  // A model that calls functions says in its text what it thinks.
  calls: prose,
  aura: parseAura,
  deskpilot: parseDeskPilot,
  'echo-prism': parseEchoPrism,
  'ui-tars': parseUiTars,
  'ui-tars-1.5': parseUiTars15,
};
