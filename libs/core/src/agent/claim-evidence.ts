import type { Json } from '@pilothouse/contract/primitives.schema';
import type { ValueSchema } from '@pilothouse/contract/workflow/value.schema';
import { escapePointer } from '../workflow/templates.ts';
import type { AgentGoal } from './agent-goal.ts';
import { asksToOpenPage, asksToReadOnly } from './goal-wording.ts';
import { hasWords, normalizeText, type ObservedPage } from './observed-text.ts';
import type { GoalClaim } from './planned-action.ts';
import { SearchBudget, TextIndex } from './text-index.ts';

/*
 * The evidence of pages for a claim. A text that a page showed before the agent changed anything is no evidence. Neither is a text that
 * the agent typed, the name of a control, or an answer that no page shows.
 */

/** Pages and actions of the agent since the goal began. */
export interface ClaimHistory {
  readonly goal: Pick<AgentGoal, 'text' | 'outputSchema'>;
  /** Number of successful actions of the agent, and of people who had control. */
  readonly actionCount: number;
  /** Normalized texts of all pages before the first action; null: unknown. */
  readonly initialText: string | null;
  /** Normalized page texts seen before the first change or shown by a navigation. null: unknown. */
  readonly knownText: string | null;
  /** Evidence texts of the pages that the agent saw, the newest last. */
  readonly seenTexts: readonly string[];
  /** Texts that the agent typed, unless a later action may have submitted them. */
  readonly typedTexts: readonly string[];
}

/** A value of an answer that is neither an object nor a list. */
export interface AnswerPart {
  /** JSON Pointer into the answer. */
  readonly pointer: string;
  /**
   * `page`: a page shows the value as whole words. `computed`: the value needs no source: a boolean, or a value that the
   * schema lists. `missing`: no page shows it. `unchecked`: the answer is too large to search all of it.
   */
  readonly origin: 'page' | 'computed' | 'missing' | 'unchecked';
  readonly value: Json;
}

/** Work of the search for one answer, about half a second. Parts beyond it are not checked. */
const SEARCH_UNITS = 50_000_000;
/** Work of the search in one typed text. */
const TYPED_TEXT_UNITS = 20;

/**
 * The parts of an answer and where they come from. Empty texts and null are no part.
 * @param pageTexts evidence texts
 */
export function answerParts(answer: Json, schema: ValueSchema | null, pageTexts: readonly string[]): AnswerPart[] {
  const budget = new SearchBudget(SEARCH_UNITS);
  const pages = pageTexts.map((text) => new TextIndex(text));
  return [...leavesOf(answer, schema, '')].map(({ pointer, value, schema: leafSchema }) => ({
    pointer,
    value,
    origin: typeof value === 'boolean' || isListedBy(leafSchema, value) ? 'computed' : originOf(value, pages, budget),
  }));
}

/** Pages are searched in order, up to the first that shows the value. */
function originOf(value: string | number, pages: readonly TextIndex[], budget: SearchBudget): AnswerPart['origin'] {
  const searched = searchedValue(value);
  let origin: AnswerPart['origin'] = 'missing';
  for (const page of pages) {
    const isOnPage = page.has(searched, budget);
    if (isOnPage) return 'page';
    if (isOnPage === null) origin = 'unchecked';
  }
  return origin;
}

const searchedValue = (value: string | number) => (typeof value === 'string' ? normalizeText(value) : value);

interface Leaf {
  readonly pointer: string;
  readonly value: string | number | boolean;
  readonly schema: unknown;
}

function* leavesOf(value: Json, schema: unknown, pointer: string): Generator<Leaf> {
  if (value === null || value === '') return;
  if (typeof value !== 'object') yield { pointer, value, schema };
  else if (Array.isArray(value))
    for (const [index, child] of value.entries()) yield* leavesOf(child, field(schema, 'items'), `${pointer}/${index}`);
  else
    for (const [key, child] of Object.entries(value)) {
      const childSchema = field(field(schema, 'properties'), key) ?? field(schema, 'additionalProperties');
      yield* leavesOf(child, childSchema, `${pointer}/${escapePointer(key)}`);
    }
}

function isListedBy(schema: unknown, value: Json): boolean {
  const listed = field(schema, 'enum');
  if (Array.isArray(listed)) return listed.includes(value);
  if (field(schema, 'const') === value) return true;
  const alternatives = field(schema, 'anyOf');
  return Array.isArray(alternatives) && alternatives.some((alternative) => isListedBy(alternative, value));
}

/** Own field of an object; undefined: none. */
const field = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;

/** Roles of controls whose name says what they do. A page that shows the name has not done it. */
const CONTROL_ROLES: ReadonlySet<string> = new Set([
  'button',
  'checkbox',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'option',
  'radio',
  'switch',
  'tab',
]);

/** Normalized names of the controls of a page. */
export const controlNamesOf = ({ elements = [] }: ObservedPage): ReadonlySet<string> =>
  new Set(elements.filter(({ role }) => CONTROL_ROLES.has(role)).map(({ name }) => normalizeText(name)));

/**
 * Reason why a page that shows all indicators is no evidence for a claim, as a clause; null: it is evidence.
 * @param pageText evidence text of the current page
 * @param controlNames normalized names of its controls
 */
export function evidenceGap(
  claim: GoalClaim,
  pageText: string,
  controlNames: ReadonlySet<string>,
  history: ClaimHistory,
): string | null {
  const { goal, actionCount, initialText, knownText, seenTexts } = history;
  const parts = answerParts(claim.answer, goal.outputSchema, [pageText, ...seenTexts]);
  const gap = sourceGap(parts);
  if (gap !== null) return gap;
  const shownParts = parts.filter(({ origin }) => origin === 'page');
  if (shownParts.length > 0 && asksToReadOnly(goal.text)) return null;
  if (actionCount === 0) return 'no action succeeded, and the goal may ask for a change';
  const asksForNoChange = asksToOpenPage(goal.text) || asksToReadOnly(goal.text);
  const oldText = asksForNoChange ? initialText : knownText;
  const isNew = searchForNewTexts(oldText, history.typedTexts);
  if (shownParts.some(({ value }) => isNew(value))) return null;
  const newIndicators = claim.indicators.filter((indicator) => isNew(indicator) && hasWords(pageText, indicator));
  if (newIndicators.length === 0) return 'no named text is new on the page since the agent changed something';
  return newIndicators.every((indicator) => controlNames.has(normalizeText(indicator)))
    ? 'the named texts are only names of controls'
    : null;
}

/** True for a value that the old text does not show, and that the agent did not type. A value that is not checked is not new. */
function searchForNewTexts(oldText: string | null, typedTexts: readonly string[]): (value: Json) => boolean {
  if (oldText === null) return () => false;
  const budget = new SearchBudget(SEARCH_UNITS);
  const index = new TextIndex(oldText);
  const typed = typedTexts.map(normalizeText);
  return (value) => {
    if (typeof value !== 'string' && typeof value !== 'number') return true;
    if (index.has(searchedValue(value), budget) !== false) return false;
    const text = normalizeText(String(value));
    return budget.spend(typed.length * TYPED_TEXT_UNITS) && !typed.some((typedText) => typedText.includes(text));
  };
}

/** Reason why an answer has no complete source, as a clause; null: each part has a source or needs none. */
export function sourceGap(parts: readonly AnswerPart[]): string | null {
  const missing = parts.filter(({ origin }) => origin === 'missing');
  if (missing.length > 0) return describeMissingParts(missing);
  const { length: unchecked } = parts.filter(({ origin }) => origin === 'unchecked');
  return unchecked === 0 ? null : `the answer is too large: ${unchecked} of its values were not checked`;
}

/** Parts that a message names. */
const MAX_NAMED_PARTS = 3;

/** Names missing parts of an answer, as a clause. */
function describeMissingParts(parts: readonly AnswerPart[]): string {
  const names = parts
    .slice(0, MAX_NAMED_PARTS)
    .map(({ pointer, value }) => `${pointer === '' ? '' : `${pointer} `}${JSON.stringify(value).slice(0, 100)}`);
  const rest = parts.length > MAX_NAMED_PARTS ? ` and ${parts.length - MAX_NAMED_PARTS} more` : '';
  return `no page shows the answer ${names.join(', ')}${rest}`;
}
