import { surfaceSupport } from '@pilothouse/contract/actions/surface-support';
import type { Dialect, ModelAnswer } from '@pilothouse/contract/model/model.schema';
import { MAX_ACTIONS_PER_TURN, type PlannedAction, type ParsedAnswer } from '../planned-action.ts';
import { withoutReasoning } from '../../model/reasoning-text.ts';
import { hasFunctionCalls, isAura, parseAura } from './aura.dialect.ts';
import { parseFunctionCalls, unparsableAnswer } from './answer-parts.ts';
import { isDeskPilot, parseDeskPilot } from './deskpilot.dialect.ts';
import { isEchoPrism, parseEchoPrism } from './echo-prism.dialect.ts';
import { parseNativeTurn } from './native/native-turn.ts';
import { fromCredentialPlaceholders } from '../../workflow/secret-placeholders.ts';
import type { AnswerContext } from '../tools/action-arguments.ts';
import { isUiTars, parseUiTars, parseUiTars15 } from './ui-tars.dialect.ts';
import { isTextEntry } from '../page-queries.ts';

/**
 * Parses the answer of a model: its function calls, or else its text in the dialect of the request. Detects the dialect if none is
 * configured. Never throws. A part that cannot be parsed becomes a problem.
 */
export function parseAnswer(
  answer: Pick<ModelAnswer, 'text' | 'calls' | 'dialect' | 'native'>,
  context: AnswerContext,
): ParsedAnswer {
  const { text, calls, dialect, native } = answer;
  if (native) {
    const turn = parseNativeTurn(native, text, context);
    return { ...turn, actions: turn.actions.map((planned) => withRunPlaceholders(planned, context)) };
  }
  const read = calls.length > 0 ? parseFunctionCalls(text, calls, context) : PARSERS[dialect ?? 'any'](text, context);
  const parsed = dropUnsupportedActions(read, context);
  const normalized: ParsedAnswer = {
    ...parsed,
    actions: parsed.actions.map((planned) => withRunPlaceholders(planned, context)),
    // A model without a configured dialect was asked to call functions.
    ...(parsed.unreadable && dialect === undefined && { unreadable: 'other-dialect' }),
  };
  if (normalized.actions.length <= MAX_ACTIONS_PER_TURN) return normalized;
  const problems = [...normalized.problems, `At most ${MAX_ACTIONS_PER_TURN} actions per turn; the rest was ignored`];
  return { ...normalized, actions: normalized.actions.slice(0, MAX_ACTIONS_PER_TURN), problems };
}

/** Cuts the turn before the first action that the surface does not have. */
function dropUnsupportedActions(parsed: ParsedAnswer, { surface }: AnswerContext): ParsedAnswer {
  const index = parsed.actions.findIndex(
    (planned) => planned.kind === 'act' && !surfaceSupport[surface].actions.has(planned.action.action),
  );
  const unsupported = parsed.actions[index];
  if (unsupported?.kind !== 'act') return parsed;
  const problem = `${unsupported.action.action} is not available on a ${surface}`;
  return { ...parsed, actions: parsed.actions.slice(0, index), problems: [problem, ...parsed.problems] };
}

/** Replaces secrets in typed texts with the placeholders of the run. */
const withRunPlaceholders = (planned: PlannedAction, { secrets }: AnswerContext): PlannedAction =>
  planned.kind === 'act' && isTextEntry(planned.action)
    ? { ...planned, action: { ...planned.action, text: fromCredentialPlaceholders(planned.action.text, secrets) } }
    : planned;

/** Parses a text without function calls. */
type AnswerParser = (text: string, context: AnswerContext) => ParsedAnswer;

/** The text beside function calls is the thought. Function calls that are written as text are read. */
const parseProse: AnswerParser = (text) =>
  hasFunctionCalls(text) ? parseAura(text) : unparsableAnswer(withoutReasoning(text), proseProblem(text));

/** Maximum characters of a quoted answer. */
const MAX_QUOTED_CHARS = 120;

/** Quotes an answer without a call, so that the model sees what is missing. */
function proseProblem(text: string): string {
  const answer = withoutReasoning(text).trim();
  const quoted = answer === '' ? 'nothing' : JSON.stringify(answer.slice(0, MAX_QUOTED_CHARS));
  return `The answer contains no action. Call a function. You answered ${quoted}; a claim in words does nothing. A complete call names the function and all of its arguments: act(action: "click", element: INDEX)`;
}

const parseDetected: AnswerParser = (text, context) => {
  if (isEchoPrism(text)) return parseEchoPrism(text, context);
  if (isUiTars(text)) return parseUiTars(text, context);
  if (isDeskPilot(text)) return parseDeskPilot(text, context);
  return isAura(text) ? parseAura(text) : parseProse(text, context);
};

const PARSERS: Readonly<Record<Dialect | 'any', AnswerParser>> = {
  any: parseDetected,
  calls: parseProse,
  aura: parseAura,
  deskpilot: parseDeskPilot,
  'echo-prism': parseEchoPrism,
  'ui-tars': parseUiTars,
  'ui-tars-1.5': parseUiTars15,
};
