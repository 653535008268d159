import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { describeElement, ellipsize } from '../observation/observation-text.ts';
import { elementByIndex, targetElement, isAtCaret, isTextEntry } from './page-queries.ts';
import { inputPlaceholdersIn } from '../workflow/secret-placeholders.ts';
import type { EnteredValue } from './planned-action.ts';
import type { AgentState } from './agent-state.ts';
import { missingTexts, normalizeText, type ObservedPage } from './observed-text.ts';

/* Entered values and their check: a goal is not done while a field has another value than the agent entered. */

/** Entries in the state. */
const MAX_ENTERED_VALUES = 50;

/** Entered values after one more successful action. */
export function enteredValuesAfter(
  previousValues: readonly EnteredValue[],
  action: Action,
  page: Observation | null,
): readonly EnteredValue[] {
  const withFollowed = SUBMITTING_ACTIONS.has(action.action)
    ? previousValues.map((enteredValue) => ({ ...enteredValue, isFollowed: true }))
    : previousValues;
  const value = valueOf(action);
  if (!page || !value) return withFollowed;
  const index = targetElement(action, page)?.index ?? null;
  const { document } = page;
  if (index === null && !(isTextEntry(action) && isAtCaret(action))) return withFollowed;
  const isAppended = isTextEntry(action) && (action.append === true || action.target === undefined);
  const remaining = withFollowed.filter(
    (enteredValue) => isAppended || enteredValue.document !== document || enteredValue.index !== index,
  );
  return [...remaining, { document, index, value, isFollowed: false }].slice(-MAX_ENTERED_VALUES);
}

const SUBMITTING_ACTIONS: ReadonlySet<Action['action']> = new Set([
  'click',
  'press',
  'navigate',
  'drag',
  'selectOption',
  'upload',
]);

function valueOf(action: Action): EnteredValue['value'] | null {
  switch (action.action) {
    case 'fill':
    case 'type':
      // The element list never contains secrets, and the text before an appended one is unknown.
      return inputPlaceholdersIn(action.text).length > 0 || action.text.trim() === '' ? null : { text: action.text };
    case 'check':
    case 'uncheck':
      return { checked: action.action === 'check' };
    default:
      return null;
  }
}

/** Entered values that the page lost, one sentence each. */
export function lostValues(
  entered: readonly EnteredValue[],
  page: ObservedPage & Partial<Pick<Observation, 'document'>>,
): string[] {
  return entered.flatMap(({ document, index, value, isFollowed }) => {
    if (document !== page.document) return [];
    const element = index === null ? undefined : elementByIndex(index, { elements: page.elements ?? [] });
    if (index !== null && !element) return [];
    if ('checked' in value) return element ? checkedMismatch(element, value.checked) : [];
    return element?.value === undefined
      ? missingTextProblems(value.text, page)
      : valueMismatch(element, value.text, isFollowed);
  });
}

/** Indexes of the fields of a page with entered values. */
export const filledIndexes = (
  entered: readonly EnteredValue[],
  { document }: ObservedPage,
): ReadonlySet<number | null> =>
  new Set(entered.filter((enteredValue) => enteredValue.document === document).map(({ index }) => index));

/** Entered texts that no later action may have submitted. */
export const typedTexts = (entered: readonly EnteredValue[]): string[] =>
  entered.flatMap(({ value, isFollowed }) => ('text' in value && !isFollowed ? [value.text] : []));

/** Fields with entered values that the page marks as invalid, one sentence each. */
export function invalidFields(entered: readonly EnteredValue[], page: ObservedPage): string[] {
  // A form that was submitted and cleared marks its empty fields.
  const followedIndexes = filledIndexes(
    entered.filter(({ isFollowed }) => isFollowed),
    page,
  );
  const indexes = filledIndexes(entered, page);
  return (page.elements ?? [])
    .filter(
      ({ index, tags, value }) =>
        indexes.has(index) && tags.includes('invalid') && !(followedIndexes.has(index) && !value),
    )
    .map((element) => {
      const { description } = element;
      return `the page marks ${describeElement(element)} as invalid${description ? `: ${quote(description)}` : ''}`;
    });
}

/** Pixels between a field and an alert about it, at most. */
const MAX_ALERT_DISTANCE_PX = 120;

/** Alerts that appeared near a field with an entered value, one sentence each. @param initialText normalized; null: unknown */
export function alertsNearFields(
  entered: readonly EnteredValue[],
  page: ObservedPage,
  initialText: string | null,
): string[] {
  const indexes = filledIndexes(entered, page);
  const { elements = [] } = page;
  const fields = elements.filter(({ index }) => indexes.has(index));
  return elements
    .filter(
      ({ role, name, bounds }) =>
        role === 'alert' &&
        name !== '' &&
        !initialText?.includes(normalizeText(name)) &&
        fields.some((field) => verticalDistance(field.bounds, bounds) <= MAX_ALERT_DISTANCE_PX),
    )
    .map(({ name }) => `the page shows the alert ${quote(name)} near an entered value`);
}

const verticalDistance = (first: ElementView['bounds'], second: ElementView['bounds']): number =>
  Math.max(0, first.y - (second.y + second.height), second.y - (first.y + first.height));

function checkedMismatch(element: ElementView, checked: boolean): string[] {
  const isChecked = element.state.checked ?? element.state.pressed;
  if (isChecked === undefined || isChecked === checked) return [];
  return [`${describeElement(element)} is not ${checked ? 'checked' : 'unchecked'}`];
}

function valueMismatch(element: ElementView, text: string, isFollowed: boolean): string[] {
  const { value = '' } = element;
  if (value === '' && isFollowed) return [];
  if (isSameText(text, value)) return [];
  return [`${describeElement(element)} contains ${quote(value)} instead of the typed ${quote(text)}`];
}

/** Compares a typed text with a value. A value that the list truncates is compared by its beginning. */
function isSameText(enteredText: string, value: string): boolean {
  const [, shownPart = value] = /^([^]*)… \(\d+ characters\)$/.exec(value) ?? [];
  const [expected, actual] = [normalize(enteredText), normalize(shownPart)];
  if (actual.includes(expected) || (shownPart !== value && expected.startsWith(actual))) return true;
  // Pages reformat dates and amounts.
  const digits = [expected, actual].map((text) => [...text.replace(/\D/g, '')].sort().join(''));
  return digits[0] !== '' && digits[0] === digits[1];
}

const normalize = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function missingTextProblems(text: string, page: ObservedPage): string[] {
  if (!page.text) return [];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return missingTexts(lines, page).map((line) => `the page does not show the typed ${quote(line)}`);
}

/** The parts of the state that show which texts of the goal were used. */
interface GoalHistory {
  readonly goal: Pick<AgentState['goal'], 'text'>;
  readonly history: Pick<AgentState['history'], 'turns'>;
}

/** Quoted texts of the goal that neither an action, the answer nor the page contains, one sentence each. */
export function unusedGoalTexts({ goal, history: { turns } }: GoalHistory, answer: Json, page: ObservedPage): string[] {
  const usedText = normalize([...turns.flatMap(({ results }) => results), JSON.stringify(answer)].join('\n'));
  const quotedTexts = [...goal.text.matchAll(/["“„«]([^"“”„«»\n]{2,40})["”“»]/g)].map(([, text = '']) => text);
  return missingTexts([...new Set(quotedTexts)], page)
    .filter((text) => normalize(text) !== '' && !usedText.includes(normalize(text)))
    .map((text) => `the goal names ${quote(text)}, but neither the page nor any action contains it`);
}

const quote = (text: string): string => JSON.stringify(ellipsize(text, 60));
