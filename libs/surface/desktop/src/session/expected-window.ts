import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Condition } from '@pilothouse/contract/actions/condition.schema';
import { toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { poll, type Deadline } from '@pilothouse/core/time/deadlines';
import { parseKeyChord } from '../input/key-names.ts';
import { findScopedWindow, type WindowScope } from '../targeting/window-match.ts';
import { optionsOf, type SessionClient } from './session-client.ts';
import type { WindowFacts } from '../x/window-manager.ts';

/** Milliseconds of the step that stay for the error. */
const ERROR_RESERVE_MS = 500;

/** Input after which another program may open: it clicks, chooses or confirms. */
const openingActions: ReadonlySet<Action['action']> = new Set<Action['action']>([
  'click',
  'drag',
  'selectMenuItem',
  'selectOption',
  'check',
  'uncheck',
  'fillFileDialog',
  'closeWindow',
  'setWindow',
]);

/** Keys that move the caret or edit, as nut-js names them. They open no program. */
const CARET_KEYS = /^(Up|Down|Left|Right|Home|End|PageUp|PageDown)$/;
const EDITING_KEYS = /^(Backspace|Delete|Insert|Tab|[A-Z]|Num\d)$/;
const EDITING_SHORTCUTS = /^[ACVXYZ]$/;

interface WindowLister {
  windows(context: Deadline): Promise<readonly WindowFacts[]>;
}

/**
 * The window in which a run works: the one that it opened, activated, typed into or looked at last. A text without a target goes to no other
 * program, for example one that opens a window by itself.
 */
export class ExpectedWindow {
  readonly #session: Pick<SessionClient, 'call'>;
  readonly #screen: WindowLister;
  #window: WindowFacts | null = null;

  /** @param screen lists the windows with the ids that opened them */
  constructor(session: Pick<SessionClient, 'call'>, screen: WindowLister) {
    this.#session = session;
    this.#screen = screen;
  }

  /** @param window null: any window */
  set(window: WindowFacts | null): void {
    this.#window = window;
  }

  /** Accepts any window after input that may open another program. */
  forgetAfter(action: Action): void {
    if (openingActions.has(action.action)) this.#window = null;
    if (action.action === 'press' && (action.target || !isEditing(action.key))) this.#window = null;
  }

  /** Remembers the window that a condition describes: the one that it names, otherwise the active one. */
  async rememberAfter(condition: Condition, context: Deadline): Promise<void> {
    const { app, window, url, title, text, visible, enabled } = condition;
    if ([app, window, url, title, text, visible, enabled].every((part) => part === undefined)) return;
    const scope = scopeOf(condition);
    this.#window = scope
      ? (findScopedWindow(await this.#screen.windows(context), scope) ?? null)
      : await this.#active(context);
  }

  /**
   * The active window, once it belongs to the expected program.
   * @throws PilothouseError TARGET_NOT_ACTIONABLE at the deadline
   */
  async activeWindow(context: Deadline): Promise<WindowFacts | null> {
    const expected = this.#window;
    let active = await this.#active(context);
    if (!expected) return active;
    const limits = { ...context, deadline: context.deadline - ERROR_RESERVE_MS };
    const found = await poll(async () => {
      active = await this.#active(context);
      if (!active) return undefined;
      const isExpected = active.id === expected.id || (await this.#isSameProgram(active, expected, context));
      return isExpected || !(await this.#isOpen(expected, context)) ? active : undefined;
    }, limits);
    if (found) return found;
    if (!active)
      throw new PilothouseError(
        'TARGET_NOT_ACTIONABLE',
        `Nothing was typed: no window has the focus. ${expected.appId} has closed its window, or ended; open it again`,
      );
    throw new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `Nothing was typed: the window ${JSON.stringify(active.title)} of ${active.appId} has the focus instead of ${expected.appId}, where this run works; add \`switchWindow\`, or a \`waitFor\` with the title of the window, before this step`,
    );
  }

  /** False if the program has closed its windows: the next window gets the focus then. */
  async #isOpen({ id, appId, pid }: WindowFacts, context: Deadline): Promise<boolean> {
    const windows = await this.#session.call('windows', null, optionsOf(context));
    return windows.some(
      (each) => each.id === id || (appId !== '' && each.appId === appId) || (pid !== null && each.pid === pid),
    );
  }

  #isSameProgram(first: WindowFacts, second: WindowFacts, context: Deadline): Promise<boolean> {
    return this.#session.call('isSameProgram', [first, second], optionsOf(context));
  }

  #active(context: Deadline): Promise<WindowFacts | null> {
    return this.#session.call('activeWindow', null, optionsOf(context));
  }
}

/** Scope of the windows that a condition or its locators name; undefined: the active window. */
function scopeOf({ app, window, visible, enabled }: Condition): WindowScope | undefined {
  const locators = [visible, enabled].flatMap((target) => (target === undefined ? [] : toLocatorChain(target)));
  return [{ app, window }, ...locators].find((scope) => scope.app !== undefined || scope.window !== undefined);
}

/** True for a key that only edits, and for a shortcut that selects, copies, pastes or undoes. */
function isEditing(key: string): boolean {
  const chord = parseKeyChord(key);
  if (!chord) return key.length === 1 && key !== ' ';
  if (CARET_KEYS.test(chord.key)) return true;
  const isPlain = chord.modifiers.every((modifier) => modifier.endsWith('Shift'));
  return (isPlain ? EDITING_KEYS : EDITING_SHORTCUTS).test(chord.key);
}
