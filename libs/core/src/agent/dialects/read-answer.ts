import type { Dialect, ModelAnswer } from '@pilothouse/contract';
import { MAX_ACTIONS_PER_TURN, type PlannedAction, type ParsedAnswer } from '../planned-action.ts';
import { isAura, parseAura } from './aura.dialect.ts';
import { parseFunctionCalls, unparsableAnswer } from './answer-parts.ts';
import { isDeskPilot, parseDeskPilot } from './deskpilot.dialect.ts';
import { isEchoPrism, parseEchoPrism } from './echo-prism.dialect.ts';
import { fromCredentialPlaceholders } from '../../secret/secret-placeholders.ts';
import type { AnswerContext } from '../tools/action-arguments.ts';
import { isUiTars, parseUiTars, parseUiTars15 } from './ui-tars.dialect.ts';
import { isTextEntry } from '../page-queries.ts';

/**
 * Parses the answer of a model: its function calls, or else its text in the dialect of the request. Detects the dialect if none is
 * configured. Never throws. A part that cannot be parsed becomes a problem.
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

/** Replaces secrets in typed texts with the placeholders of the run. */
const asRunsSay = (move: PlannedAction, { secrets }: AnswerContext): PlannedAction =>
  move.kind === 'act' && isTextEntry(move.action)
    ? { ...move, action: { ...move.action, text: fromCredentialPlaceholders(move.action.text, secrets) } }
    : move;

/** Parses a text without function calls. */
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
  // The text beside function calls is the thought.
  calls: prose,
  aura: parseAura,
  deskpilot: parseDeskPilot,
  'echo-prism': parseEchoPrism,
  'ui-tars': parseUiTars,
  'ui-tars-1.5': parseUiTars15,
};
