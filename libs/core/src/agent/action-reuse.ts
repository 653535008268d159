import { toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import { cachedTurnSchema, type CachedAction } from '@pilothouse/contract/agent/agent.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { elementLine } from '../observation/observation-text.ts';
import { wholeWords } from '../regex/whole-words.ts';
import { forEachString, toText, parseTemplate } from '../workflow/templates.ts';
import { containsMask, Templatizer, type KnownValue } from './compile/templatizer.ts';
import type { PlannedAction } from './planned-action.ts';
import { secretNamesIn } from '../workflow/secret-placeholders.ts';

/*
 * Cached actions of an agent, replayed on the same page without a model. An action names its element by the position in the list, because
 * indexes differ between runs. Inputs of the run are stored as templates.
 */

/** Identifies a page: its URL and everything that a model sees, without indexes and positions. */
export function pageCacheKey({ url, title, elements, text, opaqueRegions }: Observation): Json {
  return [
    url.replace(GENERATED_URL_PART, '*'),
    title,
    elements.map((element) => [element.frame ?? null, elementLine({ ...element, index: 0 })]),
    opaqueRegions.map(({ kind: what, name }) => [what, name]),
    text?.text ?? null,
  ];
}

/** Generated parts of a URL: counters and tokens. */
const GENERATED_URL_PART = /[0-9a-f-]{16,}|\d{6,}/gi;

/**
 * Converts the actions of a turn for the cache. Drops an expected result that cannot be stored.
 * @returns null if an action names no element of the list, or contains a value that must not be stored
 */
export function toCachedTurn(
  actions: readonly PlannedAction[],
  page: Observation,
  knownValues: readonly KnownValue[],
  secrets: readonly string[],
): CachedAction[] | null {
  const withoutExpectation = actions.map((planned) =>
    planned.kind === 'act' ? { ...planned, expects: undefined } : planned,
  );
  return toStorable(actions, page, knownValues, secrets) ?? toStorable(withoutExpectation, page, knownValues, secrets);
}

function toStorable(
  actions: readonly PlannedAction[],
  page: Observation,
  knownValues: readonly KnownValue[],
  secrets: readonly string[],
): CachedAction[] | null {
  const templatizer = new Templatizer(knownValues, secrets);
  const positioned = actions.map((planned) =>
    planned.kind === 'act' ? { ...planned, action: toPositions(planned.action, page) } : planned,
  );
  const templated = templatizer.json<unknown>(positioned);
  if (containsMask(JSON.stringify(templated)) || containsInputValue(templated, knownValues)) return null;
  const parsed = cachedTurnSchema.safeParse(templated);
  return parsed.success && parsed.data.every(isReplayable) ? parsed.data : null;
}

/** Restores a cached turn on the current page; null: an element or a value is missing. */
export function fromCachedTurn(
  cachedActions: readonly CachedAction[],
  page: Observation,
  knownValues: readonly KnownValue[],
  secrets: readonly string[],
): PlannedAction[] | null {
  try {
    const actions = cachedTurnSchema.parse(
      fillTemplates(cachedActions, new Map(knownValues.map((known) => [known.template, known.value])), secrets),
    );
    return actions.map((cached) =>
      cached.kind === 'act' ? { ...cached, action: toIndexes(cached.action, page) } : cached,
    );
  } catch {
    return null;
  }
}

/** True if the action can be replayed: it names neither a screen position nor an element outside the list. */
const isReplayable = (cached: CachedAction): boolean =>
  cached.kind !== 'act' ||
  targetsOf(cached.action).every((target) =>
    toLocatorChain(target).every(
      ({ point: screenPoint, elementIndex: element }) => !screenPoint && element !== UNLISTED_POSITION,
    ),
  );

/** Position of an element that is not in the list. */
const UNLISTED_POSITION = 1_000_000;

type Action = Extract<PlannedAction, { kind: 'act' }>['action'];

const targetsOf = (action: Action) =>
  [
    ('target' in action && action.target) || [],
    ('to' in action && typeof action.to === 'object' && action.to) || [],
  ].filter((target) => !Array.isArray(target) || target.length > 0);

/** Replaces element indexes with positions in the list. */
const toPositions = (action: Action, { elements }: Observation): Action =>
  mapElementIndexes(action, (index) => {
    const position = elements.findIndex((candidate) => candidate.index === index);
    return position === -1 ? UNLISTED_POSITION : position;
  });

/** Replaces positions in the list with element indexes. @throws Error if the list is shorter */
const toIndexes = (action: Action, { elements }: Observation): Action =>
  mapElementIndexes(action, (position) => {
    const element = elements[position];
    if (!element) throw new Error('The list changed');
    return element.index;
  });

const mapElementIndexes = (action: Action, mapIndex: (element: number) => number): Action => {
  const mapTarget = (target: unknown) =>
    typeof target === 'object' && target !== null && 'elementIndex' in target
      ? { ...target, elementIndex: mapIndex(Number(target.elementIndex)) }
      : target;
  const fields = Object.entries(action).map(([field, value]) => [
    field,
    field === 'target' || field === 'to'
      ? Array.isArray(value)
        ? value.map(mapTarget)
        : mapTarget(value)
      : (value as unknown),
  ]);
  return Object.fromEntries(fields) as Action;
};

/**
 * True if a text still contains an input value. Several inputs have this value, or it is too short to be replaced
 * safely.
 */
function containsInputValue(templated: unknown, knownValues: readonly KnownValue[]): boolean {
  const values = knownValues.flatMap(({ value }) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value).trim()] : [],
  );
  let isFound = false;
  forEachString(templated, (text, pointer) => {
    // Names of actions, keys and buttons are not input values.
    if (/\/(?:kind|action|key|button|by)$/.test(pointer)) return;
    const literals = parseTemplate(text).flatMap((part) => (part.kind === 'literal' ? [part.text] : []));
    isFound ||= values.some((value) => value !== '' && literals.some((part) => hasWord(part, value)));
  });
  return isFound;
}

const hasWord = (text: string, word: string): boolean => wholeWords([word])?.test(text) ?? false;

function fillTemplates(value: unknown, values: ReadonlyMap<string, Json>, secrets: readonly string[]): unknown {
  if (typeof value === 'string') {
    const parts = parseTemplate(value).map((part) => {
      if (part.kind === 'literal') return part.text;
      if (secretNamesIn(part.source, secrets).length > 0) return part.source;
      if (!values.has(part.source)) throw new Error(`${part.source} is unknown`);
      return toText(values.get(part.source) ?? null);
    });
    return parts.join('');
  }
  if (Array.isArray(value)) return value.map((item: unknown) => fillTemplates(item, values, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, fillTemplates(child, values, secrets)]));
}
