import { actionSchema } from '@pilothouse/contract/actions/action-sets';
import type { Expectation } from '@pilothouse/contract/agent/agent.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { truncateWithLength } from '../../observation/observation-text.ts';
import type { GoalClaim, PlannedAction } from '../planned-action.ts';
import { toAppId, toMenuItems, toPointLocator } from './action-arguments.ts';
import { ACT, toolAction, usageOf, type ToolName } from './offered-actions.ts';

/* Parsing of the function calls of a model. */

/** A planned action, or the reason why the call is unusable. */
export type PlannedActionOrProblem = PlannedAction | { readonly kind: 'problem'; readonly problem: string };

const problem = (sentence: string): PlannedActionOrProblem => ({ kind: 'problem', problem: sentence });

/** Maximum seconds of one wait. */
const MAX_WAIT_SECONDS = 30;

/** Validates an action. @param name name that the model used */
export function planAction(
  fields: Readonly<Record<string, unknown>>,
  name = String(fields['action']),
): PlannedActionOrProblem {
  const parsed = actionSchema.safeParse(fields);
  if (parsed.success && parsed.data.action === 'wait' && parsed.data.seconds > MAX_WAIT_SECONDS)
    return problem(`wait: at most ${MAX_WAIT_SECONDS} seconds; prefer waitFor`);
  if (parsed.success) return { kind: 'act', action: parsed.data };
  const [issue] = parsed.error.issues;
  const path = issue?.path.map((key) => (key === 'count' ? 'times' : String(key))).join('.') ?? '';
  return problem(`${name}: ${path ? `${path}: ` : ''}${issue?.message ?? 'invalid'}`);
}

type Arguments = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Element indexes may be strings. */
const toElementIndex = (value: unknown) =>
  typeof value === 'string' && /^\[?\d{1,6}\]?$/.test(value) ? Number(value.replace(/[[\]]/g, '')) : value;

/** Arguments that are numbers. */
const NUMERIC_FIELDS = new Set(['times', 'count', 'down', 'right', 'seconds', 'index', 'x', 'y', 'to_x', 'to_y']);

/** Small models write numbers as strings. */
const toNumber = (field: string, value: unknown): unknown =>
  NUMERIC_FIELDS.has(field) && typeof value === 'string' && /^-?\d{1,9}(\.\d{1,9})?$/.test(value)
    ? Number(value)
    : value;

const toText = (value: unknown) => (typeof value === 'string' ? value : undefined);

const toTexts = (value: unknown) =>
  (Array.isArray(value) ? value : [value]).filter(
    (item): item is string => typeof item === 'string' && item.trim() !== '',
  );

const claimOf = (args: Arguments): GoalClaim => ({ answer: (args['answer'] ?? null) as Json, ...expectationOf(args) });

function expectationOf(args: Arguments): Expectation {
  const anchor = toText(args['title_or_url'] ?? args['app_or_title'])?.trim();
  return {
    anchor: anchor === undefined || anchor === '' ? null : anchor,
    indicators: toTexts(args['indicators']),
  };
}

/** Maximum characters of an anchor or an indicator, and maximum number of indicators. */
const MAX_INDICATOR_CHARS = 200;
const MAX_INDICATORS = 5;

/** Expected result of the turn, if the call names one. */
export function parseExpectation(args: Arguments): Expectation | undefined {
  const { anchor, indicators } = expectationOf(args);
  const shortIndicators = indicators.filter((item) => item.length <= MAX_INDICATOR_CHARS).slice(0, MAX_INDICATORS);
  const shortAnchor = anchor !== null && anchor.length <= MAX_INDICATOR_CHARS ? anchor : null;
  return shortAnchor === null && shortIndicators.length === 0
    ? undefined
    : { anchor: shortAnchor, indicators: shortIndicators };
}

/** Maximum characters of the sub-goals. */
const MAX_SUB_GOALS_CHARS = 240;

/** Finished and next sub-goals from a call of `act`. */
export function parseSubGoals(givenArguments: unknown): string | undefined {
  const text = isObject(givenArguments) ? toText(givenArguments['sub_goals'])?.trim() : undefined;
  return text === undefined || text === ''
    ? undefined
    : truncateWithLength(text.replace(/\s+/g, ' '), MAX_SUB_GOALS_CHARS);
}

/**
 * Parses a call of one of `textTools`. Also accepts the name of an action as function name. Never throws.
 * @returns null for any other function
 */
export function parseToolCall(name: string, givenArguments: unknown): PlannedActionOrProblem | null {
  const args: Arguments = isObject(givenArguments) ? givenArguments : {};
  switch (name) {
    case ACT: {
      const { action, ...rest } = args;
      const planned = typeof action === 'string' && action !== ACT ? parseToolCall(action, rest) : null;
      return planned ?? problem(`act: unknown action ${JSON.stringify(action ?? null).slice(0, 60)}`);
    }
    case 'read_page':
    case 'read_window':
      return { kind: 'read' };
    case 'see_page':
    case 'see_screen':
      return { kind: 'see' };
    case 'analyze_visual':
      return planScreenshotQuestion(args);
    case 'scroll_to_result':
      return (
        planWithText(args, (text) => planAction({ action: 'scroll', target: { text, nth: 0 } })) ??
        problem(`${name}: missing \`text\``)
      );
    case 'store_data': {
      const key = toText(args['key'])?.trim().slice(0, 100);
      return (
        (key ? planWithText(args, (value) => ({ kind: 'store', key, value })) : null) ??
        problem(`${name}: missing \`key\` or \`text\``)
      );
    }
    case 'needs_replan':
      return (
        planWithText(args, (reason) => ({ kind: 'replan', reason })) ??
        problem(`${name}: missing \`text\` (the reason)`)
      );
    case 'done':
      return { kind: 'done', claim: claimOf(args) };
    case 'fail':
      return { kind: 'fail', reason: toText(args['text']) ?? 'The model gave no reason' };
    case 'ask': {
      const question = toText(args['text']);
      return question?.trim() ? { kind: 'ask', question } : problem('ask: missing `text` (the question)');
    }
    default:
      return usageOf(name) ? actionOfCall(name as ToolName, args) : null;
  }
}

/** Question about the screenshot. Without one, the question is about the named element or the whole screenshot. */
function planScreenshotQuestion(args: Arguments): PlannedActionOrProblem {
  const element = toElementIndex(args['element']);
  const question =
    typeof element === 'number' ? `Describe element [${element}]: type, appearance, position, purpose.` : null;
  return planWithText(args, (text) => ({ kind: 'analyse', question: text })) ?? { kind: 'analyse', question };
}

/** Maximum characters of a stored text or a question. */
const MAX_TEXT_CHARS = 2000;

/** Converts the text of a call; null: no text. */
function planWithText(args: Arguments, plan: (text: string) => PlannedActionOrProblem): PlannedActionOrProblem | null {
  const content = (toText(args['text']) ?? '').trim().slice(0, MAX_TEXT_CHARS);
  return content === '' ? null : plan(content);
}

/** Fields in which 0 means "left out". */
const AMOUNT_FIELDS = new Set(['times', 'down', 'right']);

/**
 * True if an argument means "left out". Some models fill in every parameter.
 * @param isParameter the action has this parameter
 */
function isEmpty(field: string, value: unknown, isParameter: boolean): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return (value === 0 || value === false) && (!isParameter || AMOUNT_FIELDS.has(field));
}

function actionOfCall(name: ToolName, callArguments: Arguments): PlannedActionOrProblem {
  const text = usageOf(name);
  const {
    title_or_url: _anchor,
    app_or_title: _window,
    indicators: _signs,
    sub_goals: _goals,
    ...args
  } = callArguments;
  if (!text) return problem(`${name} is not available`);
  const parameterNames = [...(text.element === 'none' ? [] : ['element']), ...text.fields];
  const pointParameters = text.element === 'none' ? [] : name === 'drag' ? ['x', 'y', 'to_x', 'to_y'] : ['x', 'y'];
  const acceptedNames = [...parameterNames, ...(text.aliases ?? []), ...pointParameters, 'what'];
  const isParameter = (field: string) => acceptedNames.includes(field);
  // An empty text counts if it is entered into a field.
  const numberedArguments = Object.entries(args).map(([field, value]) => [field, toNumber(field, value)] as const);
  const givenArguments = numberedArguments.filter(
    ([field, value]) =>
      !isEmpty(field, value, isParameter(field)) || (name === 'type' && field === 'text' && value === ''),
  );
  const unknownArgument = givenArguments.find(([field]) => !isParameter(field));
  if (unknownArgument)
    return problem(
      `${name} does not accept ${unknownArgument[0]}; it accepts: ${parameterNames.join(', ') || 'no arguments'}`,
    );
  const {
    element,
    to_element: toElement,
    x,
    y,
    to_x: toX,
    to_y: toY,
    what,
    ...fields
  } = Object.fromEntries(givenArguments);
  const target = element === undefined ? toPointLocator(x, y) : { elementIndex: toElementIndex(element) };
  const end = toElement === undefined ? toPointLocator(toX, toY) : { elementIndex: toElementIndex(toElement) };
  if (x !== undefined && !target) return problem(`${name}: x and y must be between 0 and 1000`);
  if (text.element === 'needed' && !target) return problem(`${name}: missing \`element\``);
  const isAtCaret = name === 'type' && !target;
  const planned = planAction(
    {
      action: isAtCaret ? 'type' : toolAction(name),
      ...toContractFields(name, fields),
      ...(target && { target }),
      ...(end && { to: end }),
    },
    name,
  );
  if (planned.kind !== 'act') return planned;
  const description = toText(what)?.trim().slice(0, MAX_DESCRIPTION_CHARS);
  const expectation = parseExpectation(callArguments);
  return { ...planned, ...(description && { what: description }), ...(expectation && { expects: expectation }) };
}

/** Maximum characters of a description by a model. */
const MAX_DESCRIPTION_CHARS = 200;

/** Renames fields to the names of the contract. */
function toContractFields(name: ToolName, fields: Record<string, unknown>): Record<string, unknown> {
  switch (name) {
    case 'click': {
      const { times, ...rest } = fields;
      return { ...rest, ...(times !== undefined && { count: times }) };
    }
    case 'scroll': {
      const { down, right, ...rest } = fields;
      const distance = { ...(right !== undefined && { x: right }), ...(down !== undefined && { y: down }) };
      return { ...rest, ...(Object.keys(distance).length > 0 && { by: distance }) };
    }
    case 'select': {
      const { option } = fields;
      return { ...fields, ...(Array.isArray(option) && option.length === 1 && { option: option[0] as unknown }) };
    }
    case 'openApp': {
      const { app, args, ...rest } = fields;
      return {
        ...rest,
        app: typeof app === 'string' ? toAppId(app) : app,
        ...(args !== undefined && { args: Array.isArray(args) ? args : [args] }),
      };
    }
    case 'selectMenuItem':
      return { ...fields, items: toMenuItems(fields['items']) };
    case 'waitFor':
      return { condition: fields };
    default:
      return fields;
  }
}
