import { cachedTurnSchema, toLocatorChain, type Json, type Observation, type CachedAction } from '@pilothouse/contract';
import { elementLine } from '../observation/observation-text.ts';
import { wholeWords } from '../regex/whole-words.ts';
import { forEachString, toText, parseTemplate } from '../workflow/templates.ts';
import { containsMask, Templatizer, type KnownValue } from './compile/templatizer.ts';
import type { PlannedAction } from './planned-action.ts';
import { secretNamesIn } from '../secret/secret-placeholders.ts';

/*
 * Cached actions of an agent, replayed on the same page without a model. An action names its element by the position in the list, because
 * indexes differ between runs. Inputs of the run are stored as templates.
 */

/** Identifies a page: its URL and everything that a model sees, without indexes and positions. */
export function pageCacheKey({ url, title, elements, text, opaqueRegions }: Observation): Json {
  return [
    url.replace(MADE, '*'),
    title,
    elements.map((element) => [element.frame ?? null, elementLine({ ...element, index: 0 })]),
    opaqueRegions.map(({ kind: what, name }) => [what, name]),
    text?.text ?? null,
  ];
}

/** Generated parts of a URL: counters and tokens. */
const MADE = /[0-9a-f-]{16,}|\d{6,}/gi;

/**
 * Converts the actions of a turn for the cache. Drops an expected result that cannot be stored.
 * @returns null if an action names no element of the list, or contains a value that must not be stored
 */
export function toCachedTurn(
  moves: readonly PlannedAction[],
  seen: Observation,
  known: readonly KnownValue[],
  secrets: readonly string[],
): CachedAction[] | null {
  const plain = moves.map((move) => (move.kind === 'act' ? { ...move, expects: undefined } : move));
  return kept(moves, seen, known, secrets) ?? kept(plain, seen, known, secrets);
}

function kept(
  moves: readonly PlannedAction[],
  seen: Observation,
  known: readonly KnownValue[],
  secrets: readonly string[],
): CachedAction[] | null {
  const lift = new Templatizer(known, secrets);
  const named = moves.map((move) => (move.kind === 'act' ? { ...move, action: placed(move.action, seen) } : move));
  const lifted = lift.json<unknown>(named);
  if (containsMask(JSON.stringify(lifted)) || stillHolds(lifted, known)) return null;
  const parsed = cachedTurnSchema.safeParse(lifted);
  return parsed.success && parsed.data.every(isLasting) ? parsed.data : null;
}

/** Restores a cached turn on the current page; null: an element or a value is missing. */
export function fromCachedTurn(
  kept: readonly CachedAction[],
  seen: Observation,
  known: readonly KnownValue[],
  secrets: readonly string[],
): PlannedAction[] | null {
  try {
    const filled = cachedTurnSchema.parse(fill(kept, new Map(known.map((one) => [one.template, one.value])), secrets));
    return filled.map((move) => (move.kind === 'act' ? { ...move, action: numbered(move.action, seen) } : move));
  } catch {
    return null;
  }
}

/** True if the action can be replayed: it names neither a screen position nor an element outside the list. */
const isLasting = (move: CachedAction): boolean =>
  move.kind !== 'act' ||
  targetsOf(move.action).every((target) =>
    toLocatorChain(target).every(({ point: at, elementIndex: element }) => !at && element !== NOWHERE),
  );

/** Position of an element that is not in the list. */
const NOWHERE = 1_000_000;

type Action = Extract<PlannedAction, { kind: 'act' }>['action'];

const targetsOf = (action: Action) =>
  [
    ('target' in action && action.target) || [],
    ('to' in action && typeof action.to === 'object' && action.to) || [],
  ].filter((target) => !Array.isArray(target) || target.length > 0);

/** Replaces element indexes with positions in the list. */
const placed = (action: Action, { elements }: Observation): Action =>
  renamed(action, (index) => {
    const place = elements.findIndex((one) => one.index === index);
    return place === -1 ? NOWHERE : place;
  });

/** Replaces positions in the list with element indexes. @throws Error if the list is shorter */
const numbered = (action: Action, { elements }: Observation): Action =>
  renamed(action, (place) => {
    const element = elements[place];
    if (!element) throw new Error('The list is another');
    return element.index;
  });

const renamed = (action: Action, name: (element: number) => number): Action => {
  const one = (target: unknown) =>
    typeof target === 'object' && target !== null && 'elementIndex' in target
      ? { ...target, elementIndex: name(Number(target.elementIndex)) }
      : target;
  const fields = Object.entries(action).map(([field, value]) => [
    field,
    field === 'target' || field === 'to' ? (Array.isArray(value) ? value.map(one) : one(value)) : (value as unknown),
  ]);
  return Object.fromEntries(fields) as Action;
};

/** True if a text still contains an input value: several inputs have it, or it is too short to be replaced safely. */
function stillHolds(lifted: unknown, known: readonly KnownValue[]): boolean {
  const values = known.flatMap(({ value }) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value).trim()] : [],
  );
  let found = false;
  forEachString(lifted, (text, pointer) => {
    // Names of actions, keys and buttons are not input values.
    if (/\/(?:kind|action|key|button|by)$/.test(pointer)) return;
    const plain = parseTemplate(text).flatMap((part) => (part.kind === 'literal' ? [part.text] : []));
    found ||= values.some((value) => value !== '' && plain.some((part) => hasWord(part, value)));
  });
  return found;
}

const hasWord = (text: string, word: string): boolean => wholeWords([word])?.test(text) ?? false;

function fill(value: unknown, known: ReadonlyMap<string, Json>, secrets: readonly string[]): unknown {
  if (typeof value === 'string') {
    const parts = parseTemplate(value).map((part) => {
      if (part.kind === 'literal') return part.text;
      if (secretNamesIn(part.source, secrets).length > 0) return part.source;
      if (!known.has(part.source)) throw new Error(`${part.source} is not known`);
      return toText(known.get(part.source) ?? null);
    });
    return parts.join('');
  }
  if (Array.isArray(value)) return value.map((one: unknown) => fill(one, known, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, fill(child, known, secrets)]));
}
