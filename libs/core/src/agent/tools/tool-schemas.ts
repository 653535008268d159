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
import type { GoalClaim, PlannedAction } from '../agent-protocol.ts';

/*
 * The actions as a model is offered them. All are one function, `act`, whose parameters they share: a function of its own for each, with
 * the same parameters written out again and again, came to 1,450 tokens in every turn, this to 450. What an action takes is derived from
 * `actionSchemas`, but that an element is named by its number in the list (`element`, `to_element`), and a condition by its parts.
 */

/** The function that carries out actions, and what a call of it names the action by. */
const ACT = 'act';

type Pointing = 'needed' | 'possible' | 'none';

interface Said {
  readonly element: Pointing;
  /** What else it takes, as a model is told. */
  readonly fields: readonly string[];
  /** What the contract calls it: read where a model says it, and not told. */
  readonly also?: readonly string[];
  /** What its name and theirs do not say. */
  readonly hint?: string;
}

/** Names that differ from those of the contract: models know these. */
const toolActions = {
  back: 'goBack',
  dialog: 'handleDialog',
  select: 'selectOption',
  type: 'fill',
} as const satisfies Readonly<Record<string, ActionName>>;

/** Name of an action as a model calls it. */
type ToolName = Exclude<ActionName, (typeof toolActions)[keyof typeof toolActions]> | keyof typeof toolActions;

/** The action that a model calls by a name. */
const toolAction = (name: ToolName): ActionName => ({ ...toolActions })[name as keyof typeof toolActions] ?? name;

/** What of each action a model may say; an action that is not here is not offered. */
const offered: Partial<Record<ToolName, Said>> = {
  navigate: { element: 'none', fields: ['url'] },
  back: { element: 'none', fields: [] },
  click: { element: 'needed', fields: ['times', 'button'], also: ['count'] },
  hover: { element: 'needed', fields: [] },
  drag: { element: 'needed', fields: ['to_element', 'position'], hint: 'position: pixels in to_element' },
  scroll: { element: 'possible', fields: ['to', 'down', 'right'], also: ['by'], hint: 'to an end, or by pixels' },
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

/** What is done to nothing but what the agent knows and sees, as a model is told. */
const asides = {
  read_page: 'read_page() text of the whole page',
  see_page: 'see_page() act by a picture',
  analyze_visual: 'analyze_visual(element?, text?) ask about the picture, or have it described',
  scroll_to_result: 'scroll_to_result(text)',
  store_data: 'store_data(key, text) for later turns',
  needs_replan: 'needs_replan(text) why this way is none',
} as const;

/** The same where each has no function of its own. */
const ends = {
  fail: 'fail(text) why the goal cannot be met',
  ask: 'ask(text) a person what only they know or may decide',
} as const;

/** Parameters that are not a field of the contract under this name, or not in this form. */
const ownParameters: Readonly<Record<string, Json>> = {
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

/** What a schema says that the check afterwards says, too, or that goes without saying: a model is sent it with every request. */
const unsaid = new Set(['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'description']);

/** A schema of a field in few words. */
function inShort(schema: Json): Json {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([word]) => !unsaid.has(word)));
}

const fieldsOf = (name: ToolName): ObjectSchema =>
  z.toJSONSchema(name === 'waitFor' ? conditionSchema : actionSchemas[toolAction(name)], {
    io: 'input',
    target: 'draft-2020-12',
  }) as ObjectSchema;

const actions = Object.entries(offered) as [ToolName, Said][];

/** `click(element, times?, button?)`: how an action is called. */
function usage([name, { element, fields, hint }]: [ToolName, Said]): string {
  const { required = [] } = fieldsOf(name);
  const isNeeded = (field: string) => required.includes(field) || field === 'to_element';
  const told = [
    ...(element === 'none' ? [] : [element === 'needed' ? 'element' : 'element?']),
    ...fields.map((field) => (isNeeded(field) ? field : `${field}?`)),
  ];
  return `${name}(${told.join(', ')})${hint === undefined ? '' : ` ${hint}`}`;
}

/** The parameters of all actions, each once. */
function sharedParameters(): Record<string, Json> {
  const parameters: Record<string, Json> = { element: { type: 'integer' } };
  for (const [name, { fields }] of actions) {
    const { properties = {} } = fieldsOf(name);
    for (const field of fields) parameters[field] ??= ownParameters[field] ?? inShort(properties[field] ?? {});
  }
  return parameters;
}

const descriptionOf = (also: readonly string[]) => `One action: ${[...actions.map(usage), ...also].join('; ')}`;

const parametersOf = (also: object): Record<string, Json> => ({
  action: { type: 'string', enum: [...actions.map(([name]) => name), ...Object.keys(also)] },
  ...sharedParameters(),
});

/** What a call says besides its action: what the turn leads to, under the names that `done` has for it, and what is done of the goal. */
const foretold: Record<string, Json> = {
  title_or_url: { type: 'string' },
  indicators: { type: 'array', items: { type: 'string' } },
  sub_goals: { type: 'string' },
};

const actTool: ModelTool = {
  name: ACT,
  description: descriptionOf([...Object.values(asides), ...Object.values(ends)]),
  parameters: {
    type: 'object',
    properties: { ...parametersOf({ ...asides, ...ends }), ...foretold },
    required: ['action'],
  },
};

/** Whether it is asked what a turn leads to, and for sub-goals. */
export const asksForExpectation = (tools: readonly ModelTool[]): boolean =>
  tools.some(({ name, parameters }) => {
    const { properties = {} } = parameters as ObjectSchema;
    return name === ACT && Object.keys(foretold).every((field) => Object.hasOwn(properties, field));
  });

/** A place in the picture, in thousandths of its width and height. */
const thousandths = { type: 'integer', minimum: 0, maximum: 1000 };

/** The same where a model sees a picture: what an action is about it may name by its place. */
const seeTool: ModelTool = {
  name: ACT,
  description: `${descriptionOf(Object.values(asides))}. element: the number of its mark; or x, y (drag: to_x, to_y, too) in thousandths of the picture`,
  parameters: {
    type: 'object',
    properties: {
      ...parametersOf(asides),
      x: thousandths,
      y: thousandths,
      to_x: thousandths,
      to_y: thousandths,
      what: text('What is there, in words'),
    },
    required: ['action', 'what'],
  },
};

/** How a goal ends that is met. @param outputSchema schema of the answer; null: a text */
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

/** The functions that the text tier offers, the same in each turn of a goal. @param outputSchema schema of the answer; null: a text */
export const textTools = (outputSchema: Json | null): ModelTool[] => [actTool, doneTool(outputSchema)];

/** The functions that are offered with a picture. Another tool may stand in for `act`: what is no action is a function of its own. */
export const visionTools = (outputSchema: Json | null): ModelTool[] => [
  seeTool,
  doneTool(outputSchema),
  failTool,
  askTool,
];

/** Functions for which a provider's own tool for operating computers may stand in. */
export const REPLACEABLE_TOOLS: readonly string[] = [ACT];

/** A move, or why it is none. */
export type PlannedActionOrProblem = PlannedAction | { readonly kind: 'problem'; readonly problem: string };

const problem = (sentence: string): PlannedActionOrProblem => ({ kind: 'problem', problem: sentence });

/** Most seconds that the agent waits at a time. */
const MAX_WAIT = 30;

/** An action by its fields, if it is one. @param name what the model called it */
export function planAction(
  fields: Readonly<Record<string, unknown>>,
  name = String(fields['action']),
): PlannedActionOrProblem {
  const parsed = actionSchema.safeParse(fields);
  if (parsed.success && parsed.data.action === 'wait' && parsed.data.seconds > MAX_WAIT)
    return problem(`wait: at most ${MAX_WAIT} seconds; waitFor is better where there is something to wait for`);
  if (parsed.success) return { kind: 'act', action: parsed.data };
  const [issue] = parsed.error.issues;
  return problem(
    `${name}: ${issue?.path.join('.') ? `${issue.path.join('.')}: ` : ''}${issue?.message ?? 'not valid'}`,
  );
}

type Arguments = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Numbers of elements come as texts, too. */
const numberOf = (value: unknown) =>
  typeof value === 'string' && /^\[?\d{1,6}\]?$/.test(value) ? Number(value.replace(/[[\]]/g, '')) : value;

const asText = (value: unknown) => (typeof value === 'string' ? value : undefined);

const asTexts = (value: unknown) =>
  (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one.trim() !== '');

const claimOf = (args: Arguments): GoalClaim => ({ answer: (args['answer'] ?? null) as Json, ...expectationOf(args) });

function expectationOf(args: Arguments): Expectation {
  const anchor = asText(args['title_or_url'])?.trim();
  return {
    anchor: anchor === undefined || anchor === '' ? null : anchor,
    indicators: asTexts(args['indicators']),
  };
}

/** Most characters of an anchor or an indicator of a turn, and most of these: more is no sign but a page. */
const MAX_SIGN = 200;
const MAX_SIGNS = 5;

/** What a turn leads to, if a call says so. */
export function parseExpectation(args: Arguments): Expectation | undefined {
  const { anchor, indicators } = expectationOf(args);
  const told = indicators.filter((one) => one.length <= MAX_SIGN).slice(0, MAX_SIGNS);
  const place = anchor !== null && anchor.length <= MAX_SIGN ? anchor : null;
  return place === null && told.length === 0 ? undefined : { anchor: place, indicators: told };
}

/** Most characters of what is said to be done and to come. */
const MAX_SUB_GOALS = 240;

/** What is done of the goal and what is next, as a call of `act` says. */
export function parseSubGoals(given: unknown): string | undefined {
  const said = isObject(given) ? asText(given['sub_goals'])?.trim() : undefined;
  return said === undefined || said === '' ? undefined : truncateWithLength(said.replace(/\s+/g, ' '), MAX_SUB_GOALS);
}

/**
 * A call of one of `textTools` as a move; an action may also be called by its own name. Never throws.
 * @returns null for a function that is not one of them
 */
export function parseToolCall(name: string, given: unknown): PlannedActionOrProblem | null {
  const args: Arguments = isObject(given) ? given : {};
  switch (name) {
    case ACT: {
      const { action, ...rest } = args;
      const move = typeof action === 'string' && action !== ACT ? parseToolCall(action, rest) : null;
      return move ?? problem(`act: there is no action ${JSON.stringify(action ?? null).slice(0, 60)}`);
    }
    case 'read_page':
      return { kind: 'read' };
    case 'see_page':
      return { kind: 'see' };
    case 'analyze_visual':
      return analysed(args);
    case 'scroll_to_result':
      return (
        asked(args, (said) => planAction({ action: 'scroll', target: { text: said, nth: 0 } })) ??
        problem(`${name}: say which \`text\``)
      );
    case 'store_data': {
      const key = asText(args['key'])?.trim().slice(0, 100);
      return (
        (key ? asked(args, (value) => ({ kind: 'store', key, value })) : null) ??
        problem(`${name} takes \`key\` and \`text\``)
      );
    }
    case 'needs_replan':
      return asked(args, (reason) => ({ kind: 'replan', reason })) ?? problem(`${name}: say why (\`text\`)`);
    case 'done':
      return { kind: 'done', claim: claimOf(args) };
    case 'fail':
      return { kind: 'fail', reason: asText(args['text']) ?? 'The model gave no reason' };
    case 'ask': {
      const question = asText(args['text']);
      return question?.trim() ? { kind: 'ask', question } : problem('ask: say what is asked (`text`)');
    }
    default:
      return Object.hasOwn(offered, name) ? actionOfCall(name as ToolName, args) : null;
  }
}

/** A question about the picture; without one what an element of it is, or the whole. */
function analysed(args: Arguments): PlannedActionOrProblem {
  const element = numberOf(args['element']);
  const question =
    typeof element === 'number'
      ? `What is [${element}]: of which kind is it, how does it look, where is it, and what does it do?`
      : null;
  return asked(args, (said) => ({ kind: 'analyse', question: said })) ?? { kind: 'analyse', question };
}

/** Most characters of a text that is kept, or asked. */
const MAX_ASIDE = 2000;

/** What is made of the text of a call; null where it has none. */
function asked(args: Arguments, move: (said: string) => PlannedActionOrProblem): PlannedActionOrProblem | null {
  const said = (asText(args['text']) ?? '').trim().slice(0, MAX_ASIDE);
  return said === '' ? null : move(said);
}

/** Fields in which nought is nothing. */
const amounts = new Set(['times', 'down', 'right']);

/**
 * Whether an argument says nothing: models that fill in everything do so for what they leave out, too.
 * @param isKnown the action takes it
 */
function isEmpty(field: string, value: unknown, isKnown: boolean): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return (value === 0 || value === false) && (!isKnown || amounts.has(field));
}

function actionOfCall(name: ToolName, called: Arguments): PlannedActionOrProblem {
  const said = offered[name];
  const { title_or_url: _anchor, indicators: _signs, sub_goals: _goals, ...args } = called;
  if (!said) return problem(`${name} is not offered`);
  const known = [...(said.element === 'none' ? [] : ['element']), ...said.fields];
  const places = said.element === 'none' ? [] : name === 'drag' ? ['x', 'y', 'to_x', 'to_y'] : ['x', 'y'];
  const read = [...known, ...(said.also ?? []), ...places, 'what'];
  const isKnown = (field: string) => read.includes(field);
  // An empty text is one where a field gets it.
  const given = Object.entries(args).filter(
    ([field, value]) => !isEmpty(field, value, isKnown(field)) || (name === 'type' && field === 'text' && value === ''),
  );
  const unknown = given.find(([field]) => !isKnown(field));
  if (unknown) return problem(`${name} takes no ${unknown[0]}; it takes ${known.join(', ') || 'nothing'}`);
  const { element, to_element: to, x, y, to_x: toX, to_y: toY, what, ...fields } = Object.fromEntries(given);
  const target = element === undefined ? toPointLocator(x, y) : { elementIndex: numberOf(element) };
  const end = to === undefined ? toPointLocator(toX, toY) : { elementIndex: numberOf(to) };
  if (x !== undefined && !target) return problem(`${name}: a place has x and y from 0 to 1000`);
  if (said.element === 'needed' && !target) return problem(`${name}: say which \`element\``);
  const isAtCaret = name === 'type' && !target;
  const move = planAction(
    {
      action: isAtCaret ? 'type' : toolAction(name),
      ...asInContract(name, fields),
      ...(target && { target }),
      ...(end && { to: end }),
    },
    name,
  );
  if (move.kind !== 'act') return move;
  const named = asText(what)?.trim().slice(0, MAX_WHAT);
  const expects = parseExpectation(called);
  return { ...move, ...(named && { what: named }), ...(expects && { expects }) };
}

/** Most characters of what a model calls something. */
const MAX_WHAT = 200;

/** The fields as the contract calls them. */
function asInContract(name: ToolName, fields: Record<string, unknown>): Record<string, unknown> {
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
