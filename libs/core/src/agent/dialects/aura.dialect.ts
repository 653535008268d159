import type { Json, ModelTool } from '@pilothouse/contract';
import type { ParsedAnswer } from '../planned-action.ts';
import { parseToolCall, type PlannedActionOrProblem } from '../tools/tool-schemas.ts';
import { latestSubGoals, toParsedAnswer, unparsableAnswer } from './answer-parts.ts';

/*
 * AURA: `{"action": "click", "element_id": 5}`, one object or a list. Also parses models that write JSON instead of calling functions.
 */

/** Longest text that is parsed, in characters. */
const MAX = 100_000;

const unfenced = (text: string) => /```(?:json)?([\s\S]*?)```/.exec(text)?.[1]?.trim() ?? text.trim();

/** True if a text has the form of this dialect. */
export const isAura = (text: string): boolean => /^[[{]/.test(unfenced(text.slice(0, MAX)));

/** Parses an answer. Never throws. */
export function parseAura(text: string): ParsedAnswer {
  let value: unknown;
  try {
    value = JSON.parse(unfenced(text.slice(0, MAX)));
  } catch {
    return unparsableAnswer('', 'The JSON cannot be read; write e.g. `{"action": "click", "element_id": 5}`');
  }
  const thought = isObject(value) ? (textOf(value['thought']) ?? textOf(value['reasoning']) ?? '') : '';
  const list = isObject(value) && Array.isArray(value['actions']) ? value['actions'] : [value].flat();
  if (list.length === 0) return unparsableAnswer(thought, 'There is no action');
  return { ...toParsedAnswer(thought, list.map(moveOf)), ...latestSubGoals([value, ...list]) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Names of AURA → names of this agent. */
const names: Readonly<Record<string, string>> = {
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
const beside = new Set(['action', 'sub_goals', 'thought', 'reasoning', 'description', 'confidence']);

function moveOf(one: unknown): PlannedActionOrProblem {
  const name = isObject(one) ? textOf(one['action']) : undefined;
  if (!isObject(one) || name === undefined)
    return { kind: 'problem', problem: 'An action has a name: `{"action": ...}`' };
  const said = Object.entries(one).filter(([field]) => !beside.has(field));
  const args = Object.fromEntries(
    said.map(([field, value]) => [field === 'element_id' ? 'element' : field, value as Json]),
  );
  const known = Object.hasOwn(names, name) ? (names[name] ?? name) : name;
  return parseToolCall(known, args) ?? { kind: 'problem', problem: `There is no action ${name.slice(0, 60)}` };
}

/* Instructions to write calls as JSON. Also used for models without function calling and without a dialect of their own. */

/** Instructions after the rules of a prompt that mentions functions. */
export const auraInstructions = (tools: readonly ModelTool[]): string =>
  `You cannot call functions here. Wherever a function is to be called, write its call as JSON instead, and nothing but this JSON:

{"thought": "why, in one short sentence", "actions": [{"action": "NAME", "ARGUMENT": VALUE}]}

Several calls stand in "actions" one after the other. These can be called:
${tools.map(toolWords).join('\n')}`;

/** One line per function. A function with several actions lists each of them as "action". */
function toolWords({ name, description, parameters }: ModelTool): string {
  const { properties = {}, required = [] } = parameters as { properties?: Record<string, Json>; required?: string[] };
  const { action, ...others } = properties;
  const needed = required.filter((field) => field !== 'action');
  const told = [
    Object.keys(others).length > 0 ? `Arguments: ${JSON.stringify(others)}` : '',
    needed.length > 0 ? `Needed: ${needed.join(', ')}` : '',
  ].filter(Boolean);
  return `- ${action === undefined ? `${name}: ` : ''}${[description, ...told].join('. ')}`;
}
