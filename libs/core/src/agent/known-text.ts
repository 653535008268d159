import type { Action, ActionName } from '@pilothouse/contract/actions/action-sets';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ActionEffect, AgentState, ObservedPages } from './agent-state.ts';
import { pageTextOf } from './observed-text.ts';
import { targetElement } from './page-queries.ts';

/*
 * The texts that pages showed without a change by the agent. Opening a page brings texts into view that were true before, so they are no
 * evidence of a change.
 */

/** Actions that show another page or window. */
const NAVIGATING_ACTIONS: ReadonlySet<string> = new Set<ActionName>([
  'navigate',
  'goBack',
  'goForward',
  'switchTab',
  'closeTab',
  'openApp',
  'switchWindow',
  'setWindow',
]);

/** Actions that neither change a page nor show another one. A reloaded page shows earlier changes. */
const READING_ACTIONS: ReadonlySet<string> = new Set<ActionName>([
  'assert',
  'extract',
  'hover',
  'listWindows',
  'observe',
  'pdf',
  'readClipboard',
  'reload',
  'screenshot',
  'scroll',
  'wait',
  'waitFor',
]);

/** The effect after a successful action. @param page the page that the action was decided on; null: unknown */
export function effectAfter(effect: ActionEffect, action: Action, page: Observation | null): ActionEffect {
  if (READING_ACTIONS.has(action.action)) return effect;
  if (NAVIGATING_ACTIONS.has(action.action)) return { kind: 'navigation' };
  const role = page && action.action === 'click' ? targetElement(action, page)?.role : undefined;
  if (role === 'tab') return { kind: 'navigation' };
  return role === 'link' && page ? { kind: 'link', url: page.url } : { kind: 'change' };
}

const isNavigation = (effect: ActionEffect, { url }: Pick<Observation, 'url'>): boolean =>
  effect.kind === 'navigation' || (effect.kind === 'link' && effect.url !== url);

/** True if the next observation has to read the text of the whole page: the goal begins, or another page is in view. */
export const readsWholeText = ({ page: { initialText, effect }, counters }: AgentState): boolean =>
  effect.kind === 'none'
    ? initialText === null && counters.succeededActions === 0
    : effect.kind === 'navigation' || effect.kind === 'link';

/** Maximum characters of the known text. A longer one is unknown, so that nothing counts as new. */
const MAX_KNOWN_CHARACTERS = 2_000_000;

/** The initial and the known text after an observation. After a lost worker they are unknown. */
export function knownTextsAfter(
  { page: { initialText, knownText, effect }, counters }: Pick<AgentState, 'page' | 'counters'>,
  observation: Observation,
): Pick<ObservedPages, 'initialText' | 'knownText'> {
  const isInitial = counters.succeededActions === 0;
  const hasNoChange = isInitial || isNavigation(effect, observation);
  if (!hasNoChange) return { initialText, knownText };
  const pageText = pageTextOf(observation);
  const join = (text: string | null) => {
    if (text === null) return isInitial ? pageText : null;
    // A page begins with its title and address. A search in the middle of a text can take its length times that of the page.
    if (text.split('\n').some((known) => known.startsWith(pageText))) return text;
    return text.length + pageText.length > MAX_KNOWN_CHARACTERS ? null : `${text}\n${pageText}`;
  };
  return { initialText: isInitial ? join(initialText) : initialText, knownText: join(knownText) };
}
