import {
  actionSchema,
  actionSchemas,
  conditionSchema,
  type ActionName,
  type Expectation,
  type Json,
  type ModelTool,
} from '@pilothouse/contract';
import { z } from 'zod';
import { truncateWithLength } from '../../observation/observation-text.ts';
import { toPointLocator } from './action-arguments.ts';
import type { GoalClaim, PlannedAction } from '../planned-action.ts';

/*
 * Tool schemas of the actions. All actions share the parameters of one function, `act`: it takes 450 tokens per turn, one function per action
 * took 1,450. Parameters are derived from `actionSchemas`. Exceptions: an element is named by its index (`element`, `to_element`), a
 * condition by its parts.
 */

/** Name of the function for actions, and of its parameter for the action name. */
const ACT = 'act';

type ElementUse = 'needed' | 'possible' | 'none';

interface ActionUsage {
  readonly element: ElementUse;
  /** Other documented parameters. */
  readonly fields: readonly string[];
  /** Parameter names of the contract. Accepted, but not documented. */
  readonly aliases?: readonly string[];
  /** Details that the names do not express. */
  readonly hint?: string;
}

/** Action names that differ from the contract, because models know these. */
const toolActions = {
  back: 'goBack',
  dialog: 'handleDialog',
  select: 'selectOption',
  type: 'fill',
} as const satisfies Readonly<Record<string, ActionName>>;

/** Action name for models. */
type ToolName = Exclude<ActionName, (typeof toolActions)[keyof typeof toolActions]> | keyof typeof toolActions;

/** Action for a name of a model. */
const toolAction = (name: ToolName): ActionName => ({ ...toolActions })[name as keyof typeof toolActions] ?? name;

/** Parameters of each offered action. A missing action is not offered. */
const offeredActions: Partial<Record<ToolName, ActionUsage>> = {
  navigate: { element: 'none', fields: ['url'] },
  back: { element: 'none', fields: [] },
  click: { element: 'needed', fields: ['times', 'button'], aliases: ['count'] },
  hover: { element: 'needed', fields: [] },
  drag: { element: 'needed', fields: ['to_element', 'position'], hint: 'position: pixels in to_element' },
  scroll: { element: 'possible', fields: ['to', 'down', 'right'], aliases: ['by'], hint: 'to an end, or by pixels' },
  type: { element: 'possible', fields: ['text', 'append'], hint: 'without element where the caret is' },
  clear: { element: 'needed', fields: [] },
  press: { element: 'possible', fields: ['key', 'times'], hint: 'e.g. Enter, ArrowDown, Control+A' },
  check: { element: 'needed', fields: [] },
  uncheck: { element: 'needed', fields: [] },
  select: { element: 'needed', fields: ['option'] },
  upload: { element: 'needed', fields: ['file'] },
  download: { element: 'needed', fields: [] },
  switchTab: { element: 'none', fields: ['url', 'title', 'index'], hint: 'by one of them' },
  closeTab: { element: 'none', fields: [] },
  dialog: { element: 'none', fields: ['accept', 'text'], hint: 'before what opens a dialog of the browser' },
  wait: { element: 'none', fields: ['seconds'] },
  waitFor: { element: 'none', fields: ['url', 'title', 'text'] },
};

/** Documentation of functions that affect only the agent. */
const agentFunctions = {
  read_page: 'read_page() text of the whole page',
  see_page: 'see_page() act by a picture',
  analyze_visual: 'analyze_visual(element?, text?) ask about the picture, or have it described',
  scroll_to_result: 'scroll_to_result(text)',
  store_data: 'store_data(key, text) for later turns',
  needs_replan: 'needs_replan(text) why this way is none',
} as const;

/** Documentation of functions that fail the goal or ask a person. */
const endingFunctions = {
  fail: 'fail(text) why the goal cannot be met',
  ask: 'ask(text) a person what only they know or may decide',
} as const;

/** Parameters without a field of this name or form in the contract. */
const toolParameters: Readonly<Record<string, Json>> = {
  to_element: { type: 'integer' },
  position: { type: 'object', properties: { x: { type: 'integer' }, y: { type: 'integer' } } },
  times: { type: 'integer' },
  down: { type: 'integer' },
  right: { type: 'integer' },
  option: { type: 'array', items: { type: 'string' } },
};

const text = (description: string) => ({ type: 'string', description });

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

/** Schema keywords that are left out to save tokens. Validation covers them, or they are obvious. */
const OMITTED_KEYWORDS = new Set(['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'description']);

/** Shortens the schema of a field. */
function shortenSchema(schema: Json): Json {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !OMITTED_KEYWORDS.has(keyword)));
}

const fieldsOf = (name: ToolName): ObjectSchema =>
  z.toJSONSchema(name === 'waitFor' ? conditionSchema : actionSchemas[toolAction(name)], {
    io: 'input',
    target: 'draft-2020-12',
  }) as ObjectSchema;

const offeredEntries = Object.entries(offeredActions) as [ToolName, ActionUsage][];

/** Signature of an action: `click(element, times?, button?)`. */
function usage([name, { element, fields, hint }]: [ToolName, ActionUsage]): string {
  const { required = [] } = fieldsOf(name);
  const isNeeded = (field: string) => required.includes(field) || field === 'to_element';
  const parameters = [
    ...(element === 'none' ? [] : [element === 'needed' ? 'element' : 'element?']),
    ...fields.map((field) => (isNeeded(field) ? field : `${field}?`)),
  ];
  return `${name}(${parameters.join(', ')})${hint === undefined ? '' : ` ${hint}`}`;
}

/** The parameters of all actions, each once. */
function sharedParameters(): Record<string, Json> {
  const parameters: Record<string, Json> = { element: { type: 'integer' } };
  for (const [name, { fields }] of offeredEntries) {
    const { properties = {} } = fieldsOf(name);
    for (const field of fields) parameters[field] ??= toolParameters[field] ?? shortenSchema(properties[field] ?? {});
  }
  return parameters;
}

const descriptionOf = (functions: readonly string[]) =>
  `One action: ${[...offeredEntries.map(usage), ...functions].join('; ')}`;

const parametersOf = (functions: object): Record<string, Json> => ({
  action: { type: 'string', enum: [...offeredEntries.map(([name]) => name), ...Object.keys(functions)] },
  ...sharedParameters(),
});

/** Parameters besides the action: the expected result of the turn, named as in `done`, and the sub-goals. */
const turnParameters: Record<string, Json> = {
  title_or_url: { type: 'string' },
  indicators: { type: 'array', items: { type: 'string' } },
  sub_goals: { type: 'string' },
};

const actTool: ModelTool = {
  name: ACT,
  description: descriptionOf([...Object.values(agentFunctions), ...Object.values(endingFunctions)]),
  parameters: {
    type: 'object',
    properties: { ...parametersOf({ ...agentFunctions, ...endingFunctions }), ...turnParameters },
    required: ['action'],
  },
};

/** True if the tools ask for the expected result of the turn and for sub-goals. */
export const hasExpectationParameters = (tools: readonly ModelTool[]): boolean =>
  tools.some(({ name, parameters }) => {
    const { properties = {} } = parameters as ObjectSchema;
    return name === ACT && Object.keys(turnParameters).every((field) => Object.hasOwn(properties, field));
  });

/** Coordinate of the screenshot, in thousandths of its width or height. */
const thousandths = { type: 'integer', minimum: 0, maximum: 1000 };

/** `act` for requests with a screenshot: an action may name a point instead of an element. */
const visionActTool: ModelTool = {
  name: ACT,
  description: `${descriptionOf(Object.values(agentFunctions))}. element: the number of its mark; or x, y (drag: to_x, to_y, too) in thousandths of the picture`,
  parameters: {
    type: 'object',
    properties: {
      ...parametersOf(agentFunctions),
      x: thousandths,
      y: thousandths,
      to_x: thousandths,
      to_y: thousandths,
      what: text('What is there, in words'),
    },
    required: ['action', 'what'],
  },
};

/** Function that claims the goal is met. @param outputSchema schema of the answer; null: a text */
const doneTool = (outputSchema: Json | null): ModelTool => ({
  name: 'done',
  description: 'The goal is met',
  parameters: {
    type: 'object',
    properties: {
      answer: outputSchema ?? text('What the goal asks for, or empty'),
      title_or_url: text('A part of it'),
      indicators: { type: 'array', items: { type: 'string' }, description: 'Texts on the page' },
    },
    required: [...(outputSchema === null ? [] : ['answer']), 'title_or_url', 'indicators'],
  },
});

export const failTool: ModelTool = {
  name: 'fail',
  description: 'The goal cannot be met',
  parameters: { type: 'object', properties: { text: text('Why') }, required: ['text'] },
};

const askTool: ModelTool = {
  name: 'ask',
  description: 'Ask a person what only they know or may decide',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

/** Functions of the text tier, constant for all turns of a goal. @param outputSchema schema of the answer; null: a text */
export const textTools = (outputSchema: Json | null): ModelTool[] => [actTool, doneTool(outputSchema)];

/** Functions of the vision tier. The tool of a provider may replace `act`, so everything that is not an action has its own function. */
export const visionTools = (outputSchema: Json | null): ModelTool[] => [
  visionActTool,
  doneTool(outputSchema),
  failTool,
  askTool,
];

/** Functions that the computer-use tool of a provider may replace. */
export const REPLACEABLE_TOOLS: readonly string[] = [ACT];

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
    return problem(`wait: at most ${MAX_WAIT_SECONDS} seconds; waitFor is better where there is something to wait for`);
  if (parsed.success) return { kind: 'act', action: parsed.data };
  const [issue] = parsed.error.issues;
  return problem(
    `${name}: ${issue?.path.join('.') ? `${issue.path.join('.')}: ` : ''}${issue?.message ?? 'not valid'}`,
  );
}

type Arguments = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Element indexes may be strings. */
const toElementIndex = (value: unknown) =>
  typeof value === 'string' && /^\[?\d{1,6}\]?$/.test(value) ? Number(value.replace(/[[\]]/g, '')) : value;

const toText = (value: unknown) => (typeof value === 'string' ? value : undefined);

const toTexts = (value: unknown) =>
  (Array.isArray(value) ? value : [value]).filter(
    (item): item is string => typeof item === 'string' && item.trim() !== '',
  );

const claimOf = (args: Arguments): GoalClaim => ({ answer: (args['answer'] ?? null) as Json, ...expectationOf(args) });

function expectationOf(args: Arguments): Expectation {
  const anchor = toText(args['title_or_url'])?.trim();
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
  const parameters = indicators.filter((item) => item.length <= MAX_INDICATOR_CHARS).slice(0, MAX_INDICATORS);
  const shortAnchor = anchor !== null && anchor.length <= MAX_INDICATOR_CHARS ? anchor : null;
  return shortAnchor === null && parameters.length === 0 ? undefined : { anchor: shortAnchor, indicators: parameters };
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
      return planned ?? problem(`act: there is no action ${JSON.stringify(action ?? null).slice(0, 60)}`);
    }
    case 'read_page':
      return { kind: 'read' };
    case 'see_page':
      return { kind: 'see' };
    case 'analyze_visual':
      return planScreenshotQuestion(args);
    case 'scroll_to_result':
      return (
        planWithText(args, (text) => planAction({ action: 'scroll', target: { text, nth: 0 } })) ??
        problem(`${name}: say which \`text\``)
      );
    case 'store_data': {
      const key = toText(args['key'])?.trim().slice(0, 100);
      return (
        (key ? planWithText(args, (value) => ({ kind: 'store', key, value })) : null) ??
        problem(`${name} takes \`key\` and \`text\``)
      );
    }
    case 'needs_replan':
      return planWithText(args, (reason) => ({ kind: 'replan', reason })) ?? problem(`${name}: say why (\`text\`)`);
    case 'done':
      return { kind: 'done', claim: claimOf(args) };
    case 'fail':
      return { kind: 'fail', reason: toText(args['text']) ?? 'The model gave no reason' };
    case 'ask': {
      const question = toText(args['text']);
      return question?.trim() ? { kind: 'ask', question } : problem('ask: say what is asked (`text`)');
    }
    default:
      return Object.hasOwn(offeredActions, name) ? actionOfCall(name as ToolName, args) : null;
  }
}

/** Question about the screenshot. Without one, the question is about the named element or the whole screenshot. */
function planScreenshotQuestion(args: Arguments): PlannedActionOrProblem {
  const element = toElementIndex(args['element']);
  const question =
    typeof element === 'number'
      ? `What is [${element}]: of which kind is it, how does it look, where is it, and what does it do?`
      : null;
  return planWithText(args, (text) => ({ kind: 'analyse', question: text })) ?? { kind: 'analyse', question };
}

/** Maximum characters of a stored text or a question. */
const MAX_TEXT_CHARS = 2000;

/** Converts the text of a call; null: no text. */
function planWithText(
  args: Arguments,
  planned: (text: string) => PlannedActionOrProblem,
): PlannedActionOrProblem | null {
  const content = (toText(args['text']) ?? '').trim().slice(0, MAX_TEXT_CHARS);
  return content === '' ? null : planned(content);
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
  const text = offeredActions[name];
  const { title_or_url: _anchor, indicators: _signs, sub_goals: _goals, ...args } = callArguments;
  if (!text) return problem(`${name} is not offered`);
  const parameterNames = [...(text.element === 'none' ? [] : ['element']), ...text.fields];
  const pointParameters = text.element === 'none' ? [] : name === 'drag' ? ['x', 'y', 'to_x', 'to_y'] : ['x', 'y'];
  const acceptedNames = [...parameterNames, ...(text.aliases ?? []), ...pointParameters, 'what'];
  const isParameter = (field: string) => acceptedNames.includes(field);
  // An empty text counts if it is entered into a field.
  const givenArguments = Object.entries(args).filter(
    ([field, value]) =>
      !isEmpty(field, value, isParameter(field)) || (name === 'type' && field === 'text' && value === ''),
  );
  const unknownArgument = givenArguments.find(([field]) => !isParameter(field));
  if (unknownArgument)
    return problem(`${name} takes no ${unknownArgument[0]}; it takes ${parameterNames.join(', ') || 'nothing'}`);
  const { element, to_element: to, x, y, to_x: toX, to_y: toY, what, ...fields } = Object.fromEntries(givenArguments);
  const target = element === undefined ? toPointLocator(x, y) : { elementIndex: toElementIndex(element) };
  const end = to === undefined ? toPointLocator(toX, toY) : { elementIndex: toElementIndex(to) };
  if (x !== undefined && !target) return problem(`${name}: a place has x and y from 0 to 1000`);
  if (text.element === 'needed' && !target) return problem(`${name}: say which \`element\``);
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
      const by = { ...(right !== undefined && { x: right }), ...(down !== undefined && { y: down }) };
      return { ...rest, ...(Object.keys(by).length > 0 && { by }) };
    }
    case 'select': {
      const { option } = fields;
      return { ...fields, ...(Array.isArray(option) && option.length === 1 && { option: option[0] as unknown }) };
    }
    case 'waitFor':
      return { condition: fields };
    default:
      return fields;
  }
}
