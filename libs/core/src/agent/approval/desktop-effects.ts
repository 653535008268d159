import type { ActionOf } from '@pilothouse/contract/actions/action-sets';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ApprovalEffect } from '@pilothouse/contract/workflow/goal.schema';
import { ellipsize } from '../../observation/observation-text.ts';
import { effectOfName } from './risky-words.ts';
import { isRunApplication, type AllowedOrigins } from './allowed-origins.ts';

/* Effects of the actions that only a desktop has. */

/** Approval for a menu entry. Checks the names of the entry and its menus with the rules for clicks. */
export function menuEffect({ items }: ActionOf<'selectMenuItem'>): { kind: ApprovalEffect; description: string }[] {
  for (const item of items.toReversed()) {
    const kind = effectOfName(withoutMnemonics(item));
    if (kind !== null) return [{ kind, description: `choose “${ellipsize(items.join(' › '), 100)}” in the menu` }];
  }
  return [];
}

/** The surface ignores marks of mnemonics when it compares names. */
const withoutMnemonics = (item: string): string => item.replace(/[_&]/g, '');

/**
 * Application outside the goal whose window an action names; null: none.
 * Without `app` it is a window whose title contains `window`: the active one if it matches, else one behind it.
 */
export function otherAppOfWindow(
  { app, window: wantedTitle }: ActionOf<'closeWindow' | 'setWindow'>,
  { title: activeTitle, windows = [] }: Observation,
  origins: Omit<AllowedOrigins, 'trusted'>,
): string | null {
  if (app !== undefined) return isRunApplication(app, origins) ? null : app;
  const isMatch = (windowTitle: string) => windowTitle.toLowerCase().includes(wantedTitle?.toLowerCase() ?? '');
  if (wantedTitle === undefined || isMatch(activeTitle)) return null;
  const foreignWindow = windows.find((window) => isMatch(window.title) && !isRunApplication(window.app, origins));
  return foreignWindow === undefined ? null : foreignWindow.app || 'another application';
}
