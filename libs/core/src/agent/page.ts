import { locatorsOf, type Action, type ElementView, type Observation } from '@pilothouse/contract';
import { elementLine } from '../observation/words.ts';

/* What the agent asks about a page that it sees. */

/** A page as a text that is the same when it is the same: what it shows, not where. */
export const fingerprintOf = ({ url, elements }: Observation): string => [url, ...elements.map(elementLine)].join('\n');

/**
 * Whether the list is another: an element that takes input came or went, or is another by its role or name. What stands in a field
 * does not count.
 */
export function listChanged(before: Observation, after: Observation): boolean {
  if (before.document !== after.document) return true;
  const names = (seen: Observation) =>
    new Map(
      seen.elements.filter(({ interactive }) => interactive).map((one) => [one.index, `${one.role} ${one.name}`]),
    );
  const [was, is] = [names(before), names(after)];
  return was.size !== is.size || [...was].some(([index, name]) => is.get(index) !== name);
}

/** The element that an action is about, when it names one by its number. */
export function elementOf(action: Action, seen: Observation): ElementView | undefined {
  const target = 'target' in action ? action.target : undefined;
  const index = target && locatorsOf(target)[0]?.element;
  return index === undefined ? undefined : seen.elements.find((one) => one.index === index);
}

/** Fields that offer something as soon as something is typed: what follows has to be chosen from what is there then. */
const suggests = new Set(['combobox', 'searchbox']);

/** Whether nothing may follow the action in its turn, whatever the list looks like right afterwards. */
export function endsTurn(action: Action, seen: Observation): boolean {
  if (
    action.action === 'navigate' ||
    action.action === 'back' ||
    action.action === 'forward' ||
    action.action === 'reload'
  )
    return true;
  if (action.action === 'switchTab' || action.action === 'closeTab') return true;
  return asksForSuggestions(action, seen);
}

/** Whether the page may be about to offer something to choose from. */
export function asksForSuggestions(action: Action, seen: Observation): boolean {
  const field = action.action === 'type' ? elementOf(action, seen) : undefined;
  return field !== undefined && (suggests.has(field.role) || field.marks.includes('search'));
}

/** Where a page is from: null for what no site sent. */
export function originOf(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed && (parsed.protocol === 'http:' || parsed.protocol === 'https:') ? parsed.origin : null;
}
