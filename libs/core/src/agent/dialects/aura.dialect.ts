import type { ModelTool } from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { ParsedAnswer } from '../planned-action.ts';
import { parseToolCall, type PlannedActionOrProblem } from '../tools/tool-calls.ts';
import { latestSubGoals, toParsedAnswer, unparsableAnswer } from './answer-parts.ts';

/*
 * AURA: `{"action": "click", "element_id": 5}`, one object or a list. Also parses models that write JSON instead of calling functions.
 */

/** Longest text that is parsed, in characters. */
const MAX_TEXT_CHARS = 100_000;

const withoutCodeFence = (text: string) => /```(?:json)?([\s\S]*?)```/.exec(text)?.[1]?.trim() ?? text.trim();

/** True if a text has the form of this dialect. */
export const isAura = (text: string): boolean => /^[[{]/.test(withoutCodeFence(text.slice(0, MAX_TEXT_CHARS)));

/** Parses an answer. Never throws. */
export function parseAura(text: string): ParsedAnswer {
  let value: unknown;
  try {
    value = JSON.parse(withoutCodeFence(text.slice(0, MAX_TEXT_CHARS)));
  } catch {
    return unparsableAnswer('', 'Invalid JSON. Example: `{"action": "click", "element_id": 5}`');
  }
  const thought = isObject(value) ? (asString(value['thought']) ?? asString(value['reasoning']) ?? '') : '';
  const calls = isObject(value) && Array.isArray(value['actions']) ? value['actions'] : [value].flat();
  if (calls.length === 0) return unparsableAnswer(thought, 'The answer contains no action.');
  return { ...toParsedAnswer(thought, calls.map(planCall)), ...latestSubGoals([value, ...calls]) };
}

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
