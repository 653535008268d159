import type { Json } from '@pilothouse/contract/primitives.schema';
import type { ValueSchema } from '@pilothouse/contract/workflow/value.schema';
import { escapePointer } from '../workflow/templates.ts';
import type { AgentGoal } from './agent-goal.ts';
import { asksToOpenPage, asksToReadOnly } from './goal-wording.ts';
import { hasNumber, hasWords, normalizeText, type ObservedPage } from './observed-text.ts';
import type { GoalClaim } from './planned-action.ts';

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
   * schema lists. `missing`: no page shows it.
   */
  readonly origin: 'page' | 'computed' | 'missing';
  readonly value: Json;
}

/** Maximum number of parts that are compared with pages. The rest count as missing. */
const MAX_ANSWER_PARTS = 1000;

/**
 * The parts of an answer and where they come from. Empty texts and null are no part.
 * @param pageTexts evidence texts
 */
export function answerParts(answer: Json, schema: ValueSchema | null, pageTexts: readonly string[]): AnswerPart[] {
  return leavesOf(answer, schema, '').map(({ pointer, value, isListed }, index) => {
    if (isListed || typeof value === 'boolean') return { pointer, value, origin: 'computed' };
    const isOnPage = index < MAX_ANSWER_PARTS && pageTexts.some((text) => isShown(value, text));
    return { pointer, value, origin: isOnPage ? 'page' : 'missing' };
  });
}

interface Leaf extends Omit<AnswerPart, 'origin'> {
  /** The schema lists the value. */
  readonly isListed: boolean;
}

function leavesOf(value: Json, schema: unknown, pointer: string): Leaf[] {
  if (value === null || value === '') return [];
  if (Array.isArray(value))
    return value.flatMap((child, index) => leavesOf(child, field(schema, 'items'), `${pointer}/${index}`));
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, child]) => {
      const childSchema = field(field(schema, 'properties'), key) ?? field(schema, 'additionalProperties');
      return leavesOf(child, childSchema, `${pointer}/${escapePointer(key)}`);
    });
  return [{ pointer, value, isListed: isListedBy(schema, value) }];
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

function isShown(value: Json, pageText: string): boolean {
  if (typeof value === 'number') return hasNumber(pageText, value);
  return typeof value === 'string' && hasWords(pageText, value);
}

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
  const missingParts = parts.filter(({ origin }) => origin === 'missing');
  if (missingParts.length > 0) return describeMissingParts(missingParts);
  const shownParts = parts.filter(({ origin }) => origin === 'page');
  if (shownParts.length > 0 && asksToReadOnly(goal.text)) return null;
  if (actionCount === 0) return 'no action succeeded, and the goal may ask for a change';
  const asksForNoChange = asksToOpenPage(goal.text) || asksToReadOnly(goal.text);
  const oldText = asksForNoChange ? initialText : knownText;
  const isNew = (value: Json) => oldText !== null && !isShown(value, oldText) && !isTyped(value, history);
  if (shownParts.some(({ value }) => isNew(value))) return null;
  const newIndicators = claim.indicators.filter((indicator) => isNew(indicator) && hasWords(pageText, indicator));
  if (newIndicators.length === 0) return 'no named text is new on the page since the agent changed something';
  return newIndicators.every((indicator) => controlNames.has(normalizeText(indicator)))
    ? 'the named texts are only names of controls'
    : null;
}

const isTyped = (value: Json, { typedTexts }: ClaimHistory): boolean =>
  typedTexts.some((text) => normalizeText(text).includes(normalizeText(String(value))));

/** Parts that a message names. */
const MAX_NAMED_PARTS = 3;

/** Names missing parts of an answer, as a clause. */
export function describeMissingParts(parts: readonly AnswerPart[]): string {
  const names = parts
    .slice(0, MAX_NAMED_PARTS)
    .map(({ pointer, value }) => `${pointer === '' ? '' : `${pointer} `}${JSON.stringify(value).slice(0, 100)}`);
  const rest = parts.length > MAX_NAMED_PARTS ? ` and ${parts.length - MAX_NAMED_PARTS} more` : '';
  return `no page shows the answer ${names.join(', ')}${rest}`;
}
