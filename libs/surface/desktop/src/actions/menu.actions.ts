import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { poll, remainingMs } from '@pilothouse/core/time/deadlines';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import { clickAt, type DesktopActionContext, type DesktopHandler } from '../action-context.ts';
import { isUnnamedImage } from '../accessibility/unnamed-controls.ts';
import { optionsOf } from '../session/session-client.ts';
import type { ReadNeed } from '../accessibility/read-need.ts';
import type { ScreenRead } from '../observation/screen-snapshot.ts';
import { middle } from '../targeting/element-match.ts';

/** Milliseconds for a menu to open after a click, before it is opened through the accessibility bus. */
const OPEN_TIMEOUT_MS = 1_500;

/** Milliseconds for the menus to close after the last click. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Entries that a message names. */
const MAX_NAMED_ENTRIES = 25;

const menuRoles: ReadonlySet<string> = new Set(['menuitem', 'menuitemcheckbox', 'menuitemradio']);

/** Roles of entries of a popover, and of the buttons that open one. */
const popoverRoles: ReadonlySet<string> = new Set([...menuRoles, 'button', 'checkbox', 'radio', 'listitem']);

/**
 * Opens menus from level to level by clicks, else through the accessibility bus, and clicks the last entry.
 * @throws PilothouseError TARGET_NOT_FOUND with the entries of the level that has no such name; TARGET_NOT_ACTIONABLE
 */
export const selectMenuItem: DesktopHandler<'selectMenuItem'> = async (context, { items }) => {
  await context.screen.waitUntilStable(context);
  let opened: DesktopElement | null = null;
  let previousKeys: ReadonlySet<string> = new Set();
  const focusedKeys = keysOf((await readMenus(context)).elements.filter(({ state }) => state.focused));
  const entryKeys = new Set<string>();
  try {
    for (const [level, name] of items.entries()) {
      const entry: DesktopElement = opened
        ? await entryOf(context, opened, previousKeys, name, entryKeys)
        : await topLevelEntry(context, name);
      if (entry.state.disabled)
        throw new PilothouseError('TARGET_NOT_ACTIONABLE', `The menu entry ${JSON.stringify(entry.name)} is disabled`);
      previousKeys = keysOf((await readMenus(context)).elements);
      context.guard();
      // A popover of GTK 4 is a separate surface, whose place on the screen is unknown.
      if (opened === null || !isOfGtk4(entry) || !(await doAction(context, entry)))
        await clickAt(context, { point: middle(entry.bounds) });
      opened = entry;
      if (level === items.length - 1) await waitUntilClosed(context, entry);
    }
  } catch (error) {
    if (opened) await closeMenus(context, { entryKeys, focusedKeys }, items.length);
    throw error;
  }
  return { located: null };
};

/** An entry of the menu bar, else a button that opens a menu. */
async function topLevelEntry(context: DesktopActionContext, name: string): Promise<DesktopElement> {
  let entries: readonly DesktopElement[] = [];
  const found = await poll(async () => {
    const { elements } = await readMenus(context);
    entries = elements.filter(({ role }) => menuRoles.has(role));
    return (
      entries.find((entry) => isNamed(entry, name)) ??
      elements.find((entry) => entry.role === 'button' && isNamed(entry, name))
    );
  }, context);
  if (found) return found;
  const detail = entries.length === 0 ? 'The active window shows no menu bar' : `There are ${namesOf(entries)}`;
  throw new PilothouseError('TARGET_NOT_FOUND', `The active window has no menu ${JSON.stringify(name)}. ${detail}`);
}

/** An entry of a menu that was just opened. @param entryKeys receives the keys of the menu's entries */
async function entryOf(
  context: DesktopActionContext,
  menu: DesktopElement,
  previousKeys: ReadonlySet<string>,
  name: string,
  entryKeys: Set<string>,
): Promise<DesktopElement> {
  let openDeadline = context.timers.monotonic() + OPEN_TIMEOUT_MS;
  let entries: readonly DesktopElement[] = [];
  const found = await poll(async () => {
    const { tree, elements } = await readEntries(context, menu);
    const shown = elements.filter(
      (element) => isEntry(element) && !isUnnamedImage(element) && !previousKeys.has(keyOf(element)),
    );
    const named = shown.filter((element) => element.name !== '');
    const isFilling = named.length > entries.length || (named.length === 0 && shown.length > 0);
    entries = named;
    for (const each of named) entryKeys.add(keyOf(each));
    const entry = entries.find((each) => isNamed(each, name));
    // While the application is busy, the menu may still open. A second action would close the menu, so this waits longer.
    if (tree.incomplete) openDeadline = context.timers.monotonic() + OPEN_TIMEOUT_MS;
    if (entry || isFilling || context.timers.monotonic() < openDeadline) return entry;
    // It is open, and has no such entry.
    if (entries.length > 0) return null;
    openDeadline = context.timers.monotonic() + OPEN_TIMEOUT_MS;
    context.guard();
    await doAction(context, menu);
    return undefined;
  }, context);
  if (found) return found;
  const detail = entries.length === 0 ? 'It shows no entries' : `There are ${namesOf(entries)}`;
  throw new PilothouseError(
    'TARGET_NOT_FOUND',
    `The menu ${JSON.stringify(menu.name)} has no entry ${JSON.stringify(name)}. ${detail}`,
  );
}

/** An entry that opens a dialog closes its menu first; one that is a check box may leave it open. */
async function waitUntilClosed(context: DesktopActionContext, entry: DesktopElement): Promise<void> {
  const deadline = context.timers.monotonic() + Math.min(CLOSE_TIMEOUT_MS, remainingMs(context));
  await poll(
    async () => {
      const { elements } = await readMenus(context);
      return elements.some((element) => keyOf(element) === keyOf(entry)) ? undefined : true;
    },
    { ...context, deadline },
  );
}

/** Elements that show whether menus are open. */
interface OpenedMenus {
  /** Keys of the entries of the opened menus. */
  readonly entryKeys: ReadonlySet<string>;
  /** Keys of the elements that had the focus before. */
  readonly focusedKeys: ReadonlySet<string>;
}

/**
 * Presses Escape until no menu is open and the focus has left the menu bar. Each key waits for the effect of the one before. Qt first
 * closes the menu and moves the focus to the menu bar; a key that follows at once may be lost.
 */
async function closeMenus(context: DesktopActionContext, menus: OpenedMenus, levels: number): Promise<void> {
  const chord = { modifiers: [], key: 'Escape' };
  let state = await menuState(context, menus);
  for (let press = 0; press <= levels && state !== 'closed' && !context.signal.aborted; press += 1) {
    const previous = state;
    context.guard();
    await context.session.call('press', { chord, times: 1 }, { timeoutMs: CLOSE_TIMEOUT_MS }).catch(() => undefined);
    const changed = await poll(
      async () => {
        state = await menuState(context, menus);
        return state === null || state === previous ? undefined : state;
      },
      { ...context, deadline: context.timers.monotonic() + CLOSE_TIMEOUT_MS },
    );
    state = changed ?? previous;
  }
}

/** @returns `closed`, or a text that changes when a menu closes; null: the state is unknown, or the focus moves */
async function menuState(
  context: DesktopActionContext,
  { entryKeys, focusedKeys }: OpenedMenus,
): Promise<string | null> {
  const read = await readMenus(context).catch(() => null);
  if (!read || read.tree.incomplete !== null) return null;
  const shownCount = read.elements.filter((element) => entryKeys.has(keyOf(element))).length;
  if (shownCount > 0) return `${shownCount} entries`;
  const focused = read.elements.filter(({ state }) => state.focused);
  // Qt also reports an entry under the pointer as focused.
  if (focused.some((element) => menuRoles.has(element.role) && !focusedKeys.has(keyOf(element)))) return 'menu bar';
  return focused.length > 0 || focusedKeys.size === 0 ? 'closed' : null;
}

/** Reads the entries below a menu, else the window: some menus have their entries elsewhere. A large window takes seconds. */
async function readEntries(context: DesktopActionContext, menu: DesktopElement): Promise<ScreenRead> {
  const { bus, path } = menu.node;
  if (menuRoles.has(menu.role)) {
    const entries = await context.screen.read(context, {}, { need: MENU_NEED, menu: { bus, path } });
    if (entries.elements.length > 0) return entries;
  }
  return readMenus(context);
}

/** Cells and fields beside the menus are not read: a busy application lists them too slowly. */
const readMenus = (context: DesktopActionContext): Promise<ScreenRead> =>
  context.screen.read(context, {}, { need: MENU_NEED });

const MENU_NEED: ReadNeed = { roles: null, cells: 'none' };

/** Does the action of an entry through the accessibility bus. @returns false if it offers none */
const doAction = (context: DesktopActionContext, { node: { bus, path } }: DesktopElement): Promise<boolean> =>
  context.session.call('doAction', { bus, path, timeoutMs: OPEN_TIMEOUT_MS }, optionsOf(context));

/** GTK 4 places its objects below the id of the application. */
const isOfGtk4 = ({ node }: DesktopElement): boolean => !node.path.startsWith('/org/a11y/');

const keyOf = ({ node }: DesktopElement): string => `${node.bus}${node.path}`;

const keysOf = (elements: readonly DesktopElement[]): Set<string> => new Set(elements.map(keyOf));

const isEntry = ({ role }: DesktopElement): boolean => popoverRoles.has(role);

/** Compares without case, mnemonics, shortcuts behind a tab, and dots at the end. */
const isNamed = ({ name }: DesktopElement, wanted: string): boolean => plainName(name) === plainName(wanted);

const plainName = (name: string): string => {
  const [label = ''] = name.split('\t');
  const plain = label.replaceAll('_', '').replaceAll('&', '').trim().toLowerCase();
  return plain.endsWith('...')
    ? plain.slice(0, -3).trimEnd()
    : plain.endsWith('…')
      ? plain.slice(0, -1).trimEnd()
      : plain;
};

const namesOf = (entries: readonly DesktopElement[]): string => {
  const names = entries.map(({ name }) => name.split('\t')[0] ?? '').filter((name) => name !== '');
  const shown = names.slice(0, MAX_NAMED_ENTRIES).map((name) => JSON.stringify(name));
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ');
};
