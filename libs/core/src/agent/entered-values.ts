import { type Action, type ElementView, type Json, type Observation } from '@pilothouse/contract';
import { describeElement, ellipsize } from '../observation/observation-text.ts';
import { elementByIndex, targetElement, isAtCaret, isTextEntry } from './page-queries.ts';
import { inputPlaceholdersIn } from '../secret/secret-placeholders.ts';
import type { EnteredValue } from './planned-action.ts';
import type { AgentState } from './agent-state.ts';
import { missingTexts, type PageText } from './goal-verification.ts';

/* Entered values and their check: a goal is not done while a field has another value than the agent entered. */

/** Entries in the state. */
const MAX_ENTERED = 50;

/** Entered values after one more successful action. */
export function enteredAfter(
  before: readonly EnteredValue[],
  action: Action,
  seen: Observation | null,
): readonly EnteredValue[] {
  const followed = follows.has(action.action) ? before.map((one) => ({ ...one, isFollowed: true })) : before;
  const value = valueOf(action);
  if (!seen || !value) return followed;
  const index = targetElement(action, seen)?.index ?? null;
  const { document } = seen;
  if (index === null && !(isTextEntry(action) && isAtCaret(action))) return followed;
  const adds = isTextEntry(action) && (action.append === true || action.target === undefined);
  const others = followed.filter((one) => adds || one.document !== document || one.index !== index);
  return [...others, { document, index, value, isFollowed: false }].slice(-MAX_ENTERED);
}

const follows: ReadonlySet<Action['action']> = new Set([
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
export function lostFrom(
  entered: readonly EnteredValue[],
  seen: PageText & Partial<Pick<Observation, 'document'>>,
): string[] {
  return entered.flatMap(({ document, index, value, isFollowed }) => {
    if (document !== seen.document) return [];
    const one = index === null ? undefined : elementByIndex(index, { elements: seen.elements ?? [] });
    if (index !== null && !one) return [];
    if ('checked' in value) return one ? unticked(one, value.checked) : [];
    return one?.value === undefined ? unshown(value.text, seen) : differing(one, value.text, isFollowed);
  });
}

function unticked(one: ElementView, checked: boolean): string[] {
  const is = one.state.checked ?? one.state.pressed;
  if (is === undefined || is === checked) return [];
  return [`${describeElement(one)} is not ${checked ? 'checked' : 'unchecked'}`];
}

function differing(one: ElementView, text: string, isFollowed: boolean): string[] {
  const { value = '' } = one;
  if (value === '' && isFollowed) return [];
  if (isSameText(text, value)) return [];
  return [`${describeElement(one)} holds ${quoted(value)}, and ${quoted(text)} was typed there`];
}

/** Compares a typed text with a value. A value that the list truncates is compared by its beginning. */
function isSameText(typed: string, value: string): boolean {
  const [, kept = value] = /^([^]*)… \(\d+ characters\)$/.exec(value) ?? [];
  const [want, is] = [plain(typed), plain(kept)];
  if (is.includes(want) || (kept !== value && want.startsWith(is))) return true;
  // Pages reformat dates and amounts.
  const digits = [want, is].map((one) => [...one.replace(/\D/g, '')].sort().join(''));
  return digits[0] !== '' && digits[0] === digits[1];
}

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function unshown(text: string, seen: PageText): string[] {
  if (!seen.text) return [];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return missingTexts(lines, seen).map((line) => `${quoted(line)} was typed, and the page does not show it`);
}

/** The parts of the state that show which texts of the goal were used. */
interface GoalHistory {
  readonly goal: Pick<AgentState['goal'], 'text'>;
  readonly history: Pick<AgentState['history'], 'turns'>;
}

/** Quoted texts of the goal that neither an action, the answer nor the page contains, one sentence each. */
export function unusedIn({ goal, history: { turns } }: GoalHistory, answer: Json, seen: PageText): string[] {
  const done = plain([...turns.flatMap(({ results }) => results), JSON.stringify(answer)].join('\n'));
  const said = [...goal.text.matchAll(/["“„«]([^"“”„«»\n]{2,40})["”“»]/g)].map(([, text = '']) => text);
  return missingTexts([...new Set(said)], seen)
    .filter((text) => plain(text) !== '' && !done.includes(plain(text)))
    .map((text) => `the goal names ${quoted(text)}, and neither the page nor anything that was done has it`);
}

const quoted = (text: string): string => JSON.stringify(ellipsize(text, 60));
