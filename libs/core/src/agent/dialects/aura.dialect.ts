import type { ModelRequest, ModelTool } from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { ParsedAnswer } from '../planned-action.ts';
import { readAnswerJson } from '../tools/answer-json.ts';
import { parseToolCall, type PlannedActionOrProblem } from '../tools/tool-calls.ts';
import { latestSubGoals, toParsedAnswer, unparsableAnswer } from './answer-parts.ts';

/*
 * AURA: `{"action": "click", "element_id": 5}`, one object or a list. Also parses models that write function calls as text:
 * `{"name": "click", "arguments": {"element": 5}}`.
 */

/** True if a text has the form of this dialect. */
export const isAura = (text: string): boolean =>
  readAnswerJson(text)?.values.some((value) => hasAction(value)) === true;

/** True if a text has function calls that are written as JSON: `{"name": ..., "arguments": ...}`. */
export const hasFunctionCalls = (text: string): boolean =>
  readAnswerJson(text)
    ?.values.flatMap((value) => listOf(value) ?? value)
    .some((value) => isObject(value) && callOf(value) !== null) === true;

/** Parses an answer. Never throws. */
export function parseAura(text: string): ParsedAnswer {
  const json = readAnswerJson(text);
  if (!json) return unparsableAnswer('', quotingProblem(text));
  const { values } = json;
  const [first] = values;
  const thought =
    (isObject(first) ? (asString(first['thought']) ?? asString(first['reasoning'])) : undefined) ?? json.lead;
  const calls = values.flatMap((value) => listOf(value) ?? value);
  if (calls.length === 0) return unparsableAnswer(thought, 'The answer contains no action.');
  return { ...toParsedAnswer(thought, calls.map(planCall)), ...latestSubGoals([...values, ...calls]) };
}

/** Maximum characters of a quoted answer. */
const MAX_QUOTED_CHARS = 120;

/** Quotes an answer that is not JSON, and shows the form of a complete one without an index that could be copied. */
const quotingProblem = (text: string) =>
  `You answered ${JSON.stringify(text.trim().slice(0, MAX_QUOTED_CHARS))}, which contains no complete JSON. Answer like {"thought": "...", "actions": [{"action": "click", "element": INDEX}]}`;

/** Maximum depth of lists in which a call is searched. */
const MAX_LIST_DEPTH = 3;

/** True if a value is a call, or has calls. */
const hasAction = (value: unknown, depth = 0): boolean =>
  Array.isArray(value)
    ? depth < MAX_LIST_DEPTH && value.some((item) => hasAction(item, depth + 1))
    : isObject(value) && (listOf(value) !== undefined || typeof value['action'] === 'string' || callOf(value) !== null);

/** Name and arguments of a function call that is written as JSON; null: another object. */
function callOf(value: Record<string, unknown>): { name: string; args: unknown } | null {
  const call = isObject(value['function']) ? value['function'] : value;
  const args = call['arguments'] ?? call['parameters'] ?? call['args'] ?? call['input'];
  const name = call['name'] ?? call['function'] ?? call['tool'];
  return typeof name === 'string' && args !== undefined ? { name, args } : null;
}

/** List of calls in an object: `actions`, or `tool_calls` as on the wire. */
const listOf = (value: unknown): unknown[] | undefined =>
  isObject(value) ? [value['actions'], value['tool_calls']].find(Array.isArray) : undefined;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asString = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Names of AURA → names of this agent. */
const ACTION_NAMES: Readonly<Record<string, string>> = {
  input: 'type',
  type_text: 'type',
  select_option: 'select',
  press_key: 'press',
  goto: 'navigate',
  open_url: 'navigate',
  go_back: 'back',
  finish: 'done',
  complete: 'done',
};

/** Fields that are not parameters of the action. */
const NON_PARAMETERS = new Set(['action', 'sub_goals', 'thought', 'reasoning', 'description', 'confidence']);

function planCall(call: unknown): PlannedActionOrProblem {
  const functionCall = isObject(call) && call['action'] === undefined ? callOf(call) : null;
  if (functionCall) return planFunctionCall(functionCall);
  const name = isObject(call) ? asString(call['action']) : undefined;
  if (!isObject(call) || name === undefined)
    return { kind: 'problem', problem: 'Each action needs a name: `{"action": ...}`' };
  const parameters = Object.entries(call).filter(([field]) => !NON_PARAMETERS.has(field));
  const args = Object.fromEntries(
    parameters.map(([field, value]) => [field === 'element_id' ? 'element' : field, value as Json]),
  );
  const actionName = Object.hasOwn(ACTION_NAMES, name) ? (ACTION_NAMES[name] ?? name) : name;
  return parseToolCall(actionName, args) ?? { kind: 'problem', problem: `Unknown action ${name.slice(0, 60)}` };
}

/** Plans a function call that is written as JSON. Its arguments may be JSON in a string. */
function planFunctionCall({ name, args }: { name: string; args: unknown }): PlannedActionOrProblem {
  const [parsed] = typeof args === 'string' ? (readAnswerJson(args)?.values ?? []) : [args];
  if (!isObject(parsed)) return { kind: 'problem', problem: `The arguments of ${name.slice(0, 60)} are not an object` };
  const { element_id: element, ...others } = parsed;
  const given = element === undefined ? others : { element, ...others };
  const planned = parseToolCall(Object.hasOwn(ACTION_NAMES, name) ? (ACTION_NAMES[name] ?? name) : name, given);
  return planned ?? { kind: 'problem', problem: `Unknown function ${name.slice(0, 60)}` };
}

/** Maximum characters of the thought, and actions of an answer. Small models do not stop without a limit. */
const MAX_THOUGHT_CHARS = 300;
const MAX_ACTIONS = 8;

/** JSON Schema of an answer, for endpoints that constrain answers. It has no keyword that a usual server ignores. */
export function auraSchema(tools: readonly ModelTool[]): NonNullable<ModelRequest['schema']> {
  const names: string[] = [];
  const fields: Record<string, Json> = {};
  for (const { name, parameters } of tools) {
    const { properties = {} } = parameters as { properties?: Record<string, Json> };
    const { action, ...others } = properties;
    const actionNames = (action as { enum?: string[] } | undefined)?.enum;
    names.push(...(actionNames ?? [name]));
    for (const [field, schema] of Object.entries(others)) fields[field] ??= schema;
  }
  const action = {
    type: 'object',
    properties: { action: { type: 'string', enum: names }, ...fields },
    required: ['action'],
  };
  return {
    type: 'object',
    properties: {
      thought: { type: 'string', maxLength: MAX_THOUGHT_CHARS },
      actions: { type: 'array', items: action, minItems: 1, maxItems: MAX_ACTIONS },
    },
    required: ['thought', 'actions'],
  };
}

/* Instructions to write calls as JSON. Also used for models without function calling and without a dialect. */

/** Instructions after the rules of a prompt that mentions functions. */
export const auraInstructions = (tools: readonly ModelTool[]): string =>
  `You cannot call functions. Instead of function calls, reply with JSON only:

{"thought": "reason in one short sentence", "actions": [{"action": "NAME", "ARGUMENT": VALUE}]}

List several actions in order. Available actions:
${tools.map(describeTool).join('\n')}`;

/** One line per function. A function with several actions lists each of them as "action". */
function describeTool({ name, description, parameters }: ModelTool): string {
  const { properties = {}, required = [] } = parameters as { properties?: Record<string, Json>; required?: string[] };
  const { action, ...otherProperties } = properties;
  const requiredFields = required.filter((field) => field !== 'action');
  const details = [
    Object.keys(otherProperties).length > 0 ? `Arguments: ${JSON.stringify(otherProperties)}` : '',
    requiredFields.length > 0 ? `Required: ${requiredFields.join(', ')}` : '',
  ].filter(Boolean);
  return `- ${action === undefined ? `${name}: ` : ''}${[description, ...details].join('. ')}`;
}
