import { actionSchemas } from '@pilothouse/contract/actions/action-sets';
import { conditionSchema } from '@pilothouse/contract/actions/condition.schema';
import type { ModelTool } from '@pilothouse/contract/model/model.schema';
import type { Json, SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { z } from 'zod';
import { surfaceTraits } from '../../surface/surface-traits.ts';
import { ACT, offeredActions, toolAction, type ActionUsage, type ToolName } from './offered-actions.ts';

/*
 * Tool schemas of the actions. All actions share the parameters of one function, `act`: it takes 450 tokens per turn, one function per action
 * took 1,450. Parameters are derived from `actionSchemas`. Exceptions: an element is named by its index (`element`, `to_element`), a
 * condition by its parts.
 */

/** Documentation of functions that affect only the agent. */
function agentFunctions(surface: SurfaceKind): Record<string, string> {
  const { read, readUsage, see } = surfaceTraits[surface].tools;
  return {
    [read]: `${read}() ${readUsage}`,
    [see]: `${see}() switch to a screenshot`,
    analyze_visual: 'analyze_visual(element?, text?) ask about the screenshot, or describe it',
    scroll_to_result: 'scroll_to_result(text)',
    store_data: 'store_data(key, text) for later turns',
    needs_replan: 'needs_replan(text) why this approach fails',
  };
}

/** Documentation of functions that fail the goal or ask a person. */
const endingFunctions = {
  fail: 'fail(text) why the goal cannot be reached',
  ask: 'ask(text) a question only a person can answer',
} as const;

/** Parameters without a field of this name or form in the contract. */
const toolParameters: Readonly<Record<string, Json>> = {
  to_element: { type: 'integer' },
  position: { type: 'object', properties: { x: { type: 'integer' }, y: { type: 'integer' } } },
  times: { type: 'integer' },
  down: { type: 'integer' },
  right: { type: 'integer' },
  option: { type: 'array', items: { type: 'string' } },
  args: { type: 'array', items: { type: 'string' } },
  items: { type: 'array', items: { type: 'string' } },
  bounds: {
    type: 'object',
    properties: {
      x: { type: 'integer' },
      y: { type: 'integer' },
      width: { type: 'integer' },
      height: { type: 'integer' },
    },
  },
};

const text = (description: string) => ({ type: 'string', description });

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

/** Schema keywords that are left out to save tokens. Validation covers them, or they are obvious. */
const OMITTED_KEYWORDS = new Set([
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'pattern',
  'description',
]);

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

/** Signature of an action: `click(element, times?, button?)`. */
function usage([name, { element, fields, hint }]: readonly [ToolName, ActionUsage]): string {
  const { required = [] } = fieldsOf(name);
  const isNeeded = (field: string) => required.includes(field) || field === 'to_element';
  const parameters = [
    ...(element === 'none' ? [] : [element === 'needed' ? 'element' : 'element?']),
    ...fields.map((field) => (isNeeded(field) ? field : `${field}?`)),
  ];
  return `${name}(${parameters.join(', ')})${hint === undefined ? '' : ` ${hint}`}`;
}

/** The parameters of all actions of a surface, each once. */
function sharedParameters(surface: SurfaceKind): Record<string, Json> {
  const parameters: Record<string, Json> = { element: { type: 'integer' } };
  for (const [name, { fields }] of offeredActions(surface)) {
    const { properties = {} } = fieldsOf(name);
    for (const field of fields) parameters[field] ??= toolParameters[field] ?? shortenSchema(properties[field] ?? {});
  }
  return parameters;
}

const descriptionOf = (surface: SurfaceKind, functions: readonly string[]) =>
  `One action: ${[...offeredActions(surface).map(usage), ...functions].join('; ')}`;

const parametersOf = (surface: SurfaceKind, functions: object): Record<string, Json> => ({
  action: { type: 'string', enum: [...offeredActions(surface).map(([name]) => name), ...Object.keys(functions)] },
  ...sharedParameters(surface),
});

/** Parameters besides the action: the expected result of the turn, named as in `done`, and the sub-goals. */
const turnParameters = (surface: SurfaceKind): Record<string, Json> => ({
  [surfaceTraits[surface].tools.anchor]: { type: 'string' },
  indicators: { type: 'array', items: { type: 'string' } },
  sub_goals: { type: 'string' },
});

function actTool(surface: SurfaceKind): ModelTool {
  const functions = { ...agentFunctions(surface), ...endingFunctions };
  return {
    name: ACT,
    description: descriptionOf(surface, Object.values(functions)),
    parameters: {
      type: 'object',
      properties: { ...parametersOf(surface, functions), ...turnParameters(surface) },
      required: ['action'],
    },
  };
}

/** True if the tools ask for the expected result of the turn and for sub-goals. */
export const hasExpectationParameters = (tools: readonly ModelTool[]): boolean =>
  tools.some(({ name, parameters }) => {
    const { properties = {} } = parameters as ObjectSchema;
    return name === ACT && ['indicators', 'sub_goals'].every((field) => Object.hasOwn(properties, field));
  });

/** Coordinate of the screenshot, in thousandths of its width or height. */
const thousandths = { type: 'integer', minimum: 0, maximum: 1000 };

/** `act` for requests with a screenshot: an action may name a point instead of an element. */
const visionActTool = (surface: SurfaceKind): ModelTool => ({
  name: ACT,
  description: `${descriptionOf(surface, Object.values(agentFunctions(surface)))}. Target: element (mark number), or x, y from 0 to 1000 of the screenshot (drag: also to_x, to_y)`,
  parameters: {
    type: 'object',
    properties: {
      ...parametersOf(surface, agentFunctions(surface)),
      x: thousandths,
      y: thousandths,
      to_x: thousandths,
      to_y: thousandths,
      what: text('What you see there'),
    },
    required: ['action', 'what'],
  },
});

/** Function that claims the goal is met. @param outputSchema schema of the answer; null: a text */
const doneTool = (outputSchema: Json | null, surface: SurfaceKind): ModelTool => ({
  name: 'done',
  description: 'The goal is met',
  parameters: {
    type: 'object',
    properties: {
      answer: outputSchema ?? text('Answer to the goal, or empty'),
      [surfaceTraits[surface].tools.anchor]: text('Part of the current value'),
      indicators: {
        type: 'array',
        items: { type: 'string' },
        description: 'Visible texts',
      },
    },
    required: [...(outputSchema === null ? [] : ['answer']), surfaceTraits[surface].tools.anchor, 'indicators'],
  },
});

export const failTool: ModelTool = {
  name: 'fail',
  description: 'The goal cannot be reached',
  parameters: { type: 'object', properties: { text: text('Reason') }, required: ['text'] },
};

const askTool: ModelTool = {
  name: 'ask',
  description: 'Ask a question only a person can answer',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

/** Functions in the correction of a turn: actions, the end of the goal, and a question. */
export function correctionFunctions(surface: SurfaceKind): { readonly description: string; readonly parameters: Json } {
  const functions = { done: 'done(answer?) the goal is met', ...endingFunctions };
  return {
    description: descriptionOf(surface, Object.values(functions)),
    parameters: {
      type: 'object',
      properties: {
        ...parametersOf(surface, functions),
        ...{ x: thousandths, y: thousandths, to_x: thousandths, to_y: thousandths },
        answer: { type: 'string' },
      },
      required: ['action'],
    },
  };
}

/** Functions of the text tier, constant for all turns of a goal. @param outputSchema schema of the answer; null: a text */
export const textTools = (outputSchema: Json | null, surface: SurfaceKind): ModelTool[] => [
  actTool(surface),
  doneTool(outputSchema, surface),
];

/** Functions of the vision tier. The tool of a provider may replace `act`, so everything that is not an action has its own function. */
export const visionTools = (outputSchema: Json | null, surface: SurfaceKind): ModelTool[] => [
  visionActTool(surface),
  ...windowTools(surface),
  doneTool(outputSchema, surface),
  failTool,
  askTool,
];

/** Functions for applications, windows, menus and files, which no tool of a provider has. */
const windowFunctions = {
  openApp: 'Start an application by id or name; args: files or URLs to open',
  switchWindow: 'Bring a window to the front, by application, title (`window`) or both',
  closeWindow: 'Close a window (default: the active one)',
  listWindows: 'List the windows with bounds and states',
  setWindow: 'Move, resize, maximize, minimize or restore a window (default: the active one)',
  selectMenuItem: "Choose a menu entry of the active window, e.g. ['File', 'Save As']",
  fillFileDialog: 'Answer an open or save dialog; path: in the home folder',
} as const satisfies Partial<Record<ToolName, string>>;

const windowTools = (surface: SurfaceKind): ModelTool[] => separateTools(windowFunctions, surface);

/** Functions beside the computer tool of a provider: dialogs and lists of a browser are not in its screenshots. */
const pageFunctions = {
  dialog: 'Answer the next dialog of the browser. Call before the action that opens it, in the same turn',
  select: 'Choose options of a select box, by its mark number (element)',
  upload: 'Put a file of the goal into a file input (element: mark number)',
  switchTab: 'Switch to another tab; give exactly one of url, title, index',
  closeTab: 'Close the current tab',
} as const satisfies Partial<Record<ToolName, string>>;

/** Functions that are offered only beside the computer tool of a provider. */
export const nativeTools = (surface: SurfaceKind): ModelTool[] =>
  surfaceTraits[surface].isPaged ? separateTools(pageFunctions, surface) : [];

const separateTools = (functions: Partial<Record<ToolName, string>>, surface: SurfaceKind): ModelTool[] =>
  offeredActions(surface).flatMap(([name, { element, fields }]) => {
    const description = functions[name];
    if (description === undefined) return [];
    const { properties = {}, required = [] } = fieldsOf(name);
    const parameters = fields.map((field) => [field, toolParameters[field] ?? shortenSchema(properties[field] ?? {})]);
    if (element !== 'none') parameters.unshift(['element', { type: 'integer' }]);
    return [
      {
        name,
        description,
        parameters: {
          type: 'object',
          properties: Object.fromEntries(parameters) as Record<string, Json>,
          required: [
            ...(element === 'needed' ? ['element'] : []),
            ...required.filter((field) => fields.includes(field)),
          ],
        },
      },
    ];
  });

/** Functions that the computer-use tool of a provider may replace. */
export const REPLACEABLE_TOOLS: readonly string[] = [ACT];
