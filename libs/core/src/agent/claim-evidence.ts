import type { Json } from '@pilothouse/contract/primitives.schema';
import type { ValueSchema } from '@pilothouse/contract/workflow/value.schema';
import { escapePointer } from '../workflow/templates.ts';
import type { AgentGoal } from './agent-goal.ts';
import { hasNumber, hasWords, normalizeText } from './observed-text.ts';
import type { GoalClaim } from './planned-action.ts';

/*
 * The evidence of the pages for a claim. A text that the page showed before the first action is no evidence, and neither
 * is an answer that no page shows.
 */

/** Pages and actions of the agent since the goal began. */
export interface ClaimHistory {
  readonly goal: Pick<AgentGoal, 'text' | 'outputSchema'>;
  /** Actions of the agent, and of people who had control. */
  readonly actions: number;
  /** Normalized text of the last page before the first action; null: unknown. */
  readonly initialText: string | null;
  /** Normalized texts of the pages that the agent saw. */
  readonly seenTexts: readonly string[];
}

/** A value of an answer that is neither an object nor a list. */
export interface AnswerPart {
  /** JSON Pointer into the answer. */
  readonly pointer: string;
  /**
   * `page`: a page shows the value as whole words. `computed`: the value is not copied from a page, for example a
   * boolean or a value that the schema lists. `missing`: no page shows it.
   */
  readonly origin: 'page' | 'computed' | 'missing';
  readonly value: Json;
}

/** Parts of an answer that are compared with the pages. Larger answers have more; the rest counts as missing. */
const MAX_ANSWER_PARTS = 1000;

/**
 * The parts of an answer and where they come from. Empty texts and null are no part.
 * @param pageTexts normalized texts
 */
export function answerParts(answer: Json, schema: ValueSchema | null, pageTexts: readonly string[]): AnswerPart[] {
  return leavesOf(answer, schema, '').map((leaf, index) => ({
    pointer: leaf.pointer,
    value: leaf.value,
    origin:
      leaf.isListed || typeof leaf.value === 'boolean'
        ? 'computed'
        : index < MAX_ANSWER_PARTS && pageTexts.some((text) => isShown(leaf.value, text))
          ? 'page'
          : 'missing',
  }));
}

interface Leaf {
  readonly pointer: string;
  readonly value: Json;
  /** The schema lists the value. */
  readonly isListed: boolean;
}

function leavesOf(value: Json, schema: ValueSchema | null, pointer: string): Leaf[] {
  if (value === null || value === '') return [];
  if (Array.isArray(value))
    return value.flatMap((child, index) => leavesOf(child, childSchema(schema, 'items'), `${pointer}/${index}`));
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, child]) =>
      leavesOf(child, childSchema(childSchema(schema, 'properties'), key), `${pointer}/${escapePointer(key)}`),
    );
  return [{ pointer, value, isListed: schema !== null && ('enum' in schema || 'const' in schema) }];
}

function childSchema(schema: ValueSchema | null, key: string): ValueSchema | null {
  const child: unknown =
    schema !== null && Object.hasOwn(schema, key) ? (schema as Record<string, unknown>)[key] : null;
  return typeof child === 'object' && child !== null && !Array.isArray(child) ? (child as ValueSchema) : null;
}

function isShown(value: Json, pageText: string): boolean {
  if (typeof value === 'number') return hasNumber(pageText, value);
  return typeof value === 'string' && hasWords(pageText, value);
}

/**
 * Reason why the texts of a page are no evidence for a claim, as a clause; null: they are. All indicators are on the page.
 * @param pageText normalized text of the current page
 */
export function evidenceGap(claim: GoalClaim, pageText: string, history: ClaimHistory): string | null {
  const { goal, actions, initialText, seenTexts } = history;
  const parts = answerParts(claim.answer, goal.outputSchema, [pageText, ...seenTexts]);
  const missing = parts.filter(({ origin }) => origin === 'missing');
  if (missing.length > 0) return describeMissingParts(missing);
  const isAnswerShown = parts.some(({ origin }) => origin === 'page');
  if (actions === 0)
    return isAnswerShown && asksToReadOnly(goal.text) ? null : 'no action was done, and the goal may ask for a change';
  if (isAnswerShown) return null;
  const hasNewIndicator =
    initialText !== null && claim.indicators.some((indicator) => !initialText.includes(normalizeText(indicator)));
  return hasNewIndicator ? null : 'the page showed the named texts before the first action';
}

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

/** Words of a goal that asks for information. */
const READING_WORDS: ReadonlySet<string> = new Set(
  'what which who whose when where how why whether say describe identify quote read report tell find list extract get return give show name count collect summarize compare determine'.split(
    ' ',
  ),
);

/** Words of a goal that asks for a change, without their ending. */
const CHANGING_WORDS: ReadonlySet<string> = new Set(
  'accept activate add allow answer append apply approve archive assign attach begin block book buy cancel change check choose clear click close comment complete confirm connect convert copy create cut deactivate decline delete deny deploy disable disconnect download draft drag drop edit empty enable enter erase export extend file fill finish follow format forward generate grant import increase insert install invite join launch leave like log login make mark merge message modify move open order organize pause pay pin place play post press print promote publish purchase put register reject remove rename renew reopen replace reply request reschedule reserve reset resolve restart restore resume revoke run save schedule select send set share sign signup sort start stop submit subscribe switch tick toggle transfer turn type unblock uncheck undo unfollow uninstall unlock unsubscribe update upgrade upload use verify vote withdraw write'.split(
    ' ',
  ),
);

/** True if the goal, in English, asks for information and for no change. Other languages count as a change. */
export function asksToReadOnly(goal: string): boolean {
  const words = goal.toLowerCase().match(/\p{L}+/gu) ?? [];
  return (
    words.some((word) => READING_WORDS.has(word)) &&
    !words.some((word) => stemsOf(word).some((stem) => CHANGING_WORDS.has(stem)))
  );
}

/** The word without an English ending: `adding`, `added` and `adds` are `add`; `submitted` is `submit`. */
const stemsOf = (word: string): string[] => {
  const stems = [
    word,
    word.replace(/s$/, ''),
    word.replace(/(?:es|ed|ing)$/, ''),
    word.replace(/ing$/, 'e'),
    word.replace(/d$/, ''),
  ];
  return [...stems, ...stems.map((stem) => stem.replace(/([a-z])\1$/, '$1'))];
};
