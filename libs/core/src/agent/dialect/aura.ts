import type { Json } from '@pilothouse/contract';
import type { ParsedAnswer } from '../move.ts';
import { parseToolCall, type PlannedActionOrProblem } from '../vocabulary.ts';
import { latestSubGoals, toParsedAnswer, unparsableAnswer } from './calls.ts';

/*
 * AURA: `{"action": "click", "element_id": 5}`, one or a list of them, also as the answer of a model that writes JSON instead of calling.
 */

/** Longest text that is parsed, in characters. */
const MAX = 100_000;

const unfenced = (text: string) => /```(?:json)?([\s\S]*?)```/.exec(text)?.[1]?.trim() ?? text.trim();

/** Whether a text is of this dialect. */
export const isAura = (text: string): boolean => /^[[{]/.test(unfenced(text.slice(0, MAX)));

/** Reads an answer. Never throws. */
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

/** Its names for what is called otherwise here. */
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

/** Fields that say something about the action, and nothing to it. */
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
