import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { poll } from '@pilothouse/core/time/deadlines';
import type { DesktopActionContext, DesktopHandler } from '../action-context.ts';
import { optionsOf } from '../session/session-client.ts';
import { isOfApp } from '../targeting/window-match.ts';
import type { ProgramExit } from '../session/session-protocol.ts';
import type { Rectangle } from '../x/rectangle.ts';
import { stateOf, type WindowFacts } from '../x/window-manager.ts';

/** Milliseconds for a running application to open another window or change a title. */
const SECOND_WINDOW_TIMEOUT_MS = 1_000;

/** Milliseconds for the window of a program that has ended: it may have asked another process to open it. */
const EXIT_GRACE_MS = 2_000;

/** Starts an application. Waits for a new window, or for a window of the application to become active. */
export const openApp: DesktopHandler<'openApp'> = async (context, { app, args = [] }) => {
  // A template may render to an option.
  const option = args.find((arg) => !/^[^-]/.test(arg));
  if (option !== undefined)
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `${JSON.stringify(option)} is not a file or URL: options are not supported`,
    );
  const options = optionsOf(context);
  const previousWindows = new Map((await context.screen.windows(context)).map((window) => [window.id, window]));
  context.guard();
  const { pid } = await context.session.call('openApp', { app, files: args }, options);
  let exit: ProgramExit | null = null;
  let exitedAt = 0;
  const unchangedUntil = context.timers.monotonic() + SECOND_WINDOW_TIMEOUT_MS;
  const opened = await poll(async () => {
    const windows = await context.screen.windows(context);
    const active = windows.find(({ isActive }) => isActive);
    const previous = active && previousWindows.get(active.id);
    if (!previous && active) return active;
    if (!exit) {
      exit = await context.session.call('exitOf', { pid }, options);
      exitedAt = context.timers.monotonic();
    }
    if (exit && exit.code !== 0 && context.timers.monotonic() - exitedAt > EXIT_GRACE_MS) return null;
    if (!previous) return undefined;
    if (!isOfApp(active, app)) return undefined;
    const isUnchanged = previous.isActive && previous.title === active.title;
    return isUnchanged && context.timers.monotonic() < unchangedUntil ? undefined : active;
  }, context);
  if (opened === null)
    throw new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `${app} ended ${endOf(exit)} and opened no window; check its arguments, and that the worker has what it needs`,
    );
  if (!opened)
    throw new PilothouseError(
      'STEP_TIMED_OUT',
      `${app} opened no window within the time of the step; ${exit ? `its program ended ${endOf(exit)}` : 'its program still runs, and may need no window'}`,
    );
  context.expectedWindow.set(opened);
  if (!previousWindows.has(opened.id)) await context.screen.rememberOpened({ app, pid }, opened, context);
  return { located: null, value: { app: opened.appId, title: opened.title } };
};

const endOf = (exit: ProgramExit | null): string =>
  exit?.code === null || !exit ? 'by a signal' : `with code ${exit.code}`;

export const switchWindow: DesktopHandler<'switchWindow'> = async (context, wanted) => {
  const window = await findWindow(context, wanted);
  context.guard();
  if (!(await context.session.call('activate', { id: window.id }, optionsOf(context))))
    throw new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `The window ${JSON.stringify(window.title)} did not become active; close dialogs that block it`,
    );
  context.expectedWindow.set(window);
  return { located: null };
};

export const closeWindow: DesktopHandler<'closeWindow'> = async (context, wanted) => {
  const window = await findWindow(context, wanted);
  context.guard();
  // The application may ask whether to save; the next step answers.
  await context.session.call('closeWindow', { id: window.id }, optionsOf(context));
  return { located: null };
};

/** Returns the windows, the topmost first. */
export const listWindows: DesktopHandler<'listWindows'> = async (context) => {
  const windows = await context.session.call('windows', null, optionsOf(context));
  return { located: null, value: windows.toReversed().map(describeWindow) };
};

/**
 * Changes the state of a window, or its place and size. @throws PilothouseError TARGET_NOT_ACTIONABLE if the
 * application rejects the change
 */
export const setWindow: DesktopHandler<'setWindow'> = async (
  context,
  { app, window: wantedTitle, bounds, state = 'normal' },
) => {
  const { id, title: name } = await findWindow(context, { app, window: wantedTitle });
  const options = optionsOf(context);
  context.guard();
  const refuse = (problem: string) =>
    new PilothouseError('TARGET_NOT_ACTIONABLE', `The window ${JSON.stringify(name)} ${problem}`);
  if (!(await context.session.call('setWindowState', { id, state }, options)))
    throw refuse(`did not reach the state ${state}; the application may not support it`);
  const changed = (await context.session.call('windows', null, options)).find((window) => window.id === id);
  if (!changed) throw refuse('has gone');
  if (!bounds) return { located: null, value: describeWindow(changed) };
  const wanted = {
    x: bounds.x ?? changed.bounds.x,
    y: bounds.y ?? changed.bounds.y,
    width: bounds.width ?? changed.bounds.width,
    height: bounds.height ?? changed.bounds.height,
  };
  const result = await context.session.call('moveResizeWindow', { id, bounds: wanted }, options);
  if (!result) throw refuse('has gone');
  const { window, increment } = result;
  if (!hasBounds(window.bounds, wanted, increment))
    throw refuse(`has the bounds ${describeBounds(window.bounds)}: the application rejected ${describeBounds(wanted)}`);
  return { located: null, value: describeWindow(window) };
};

/** True if a window has the bounds. The size of a terminal is a multiple of its character size: it may be smaller by less than `increment`. */
const hasBounds = (actual: Rectangle, wanted: Rectangle, increment: { width: number; height: number }): boolean =>
  actual.x === wanted.x &&
  actual.y === wanted.y &&
  Math.abs(actual.width - wanted.width) < increment.width &&
  Math.abs(actual.height - wanted.height) < increment.height;

const describeBounds = ({ x, y, width, height }: Rectangle): string => `${width} × ${height} at ${x}, ${y}`;

function describeWindow(window: WindowFacts): Json {
  const { appId, title, isActive } = window;
  return { app: appId, title, bounds: { ...window.bounds }, active: isActive, state: stateOf(window) };
}

interface WantedWindow {
  readonly app?: string | undefined;
  /** Part of the title. */
  readonly window?: string | undefined;
}

/** @throws PilothouseError TARGET_NOT_FOUND at the deadline, TARGET_AMBIGUOUS */
async function findWindow(context: DesktopActionContext, wanted: WantedWindow): Promise<WindowFacts> {
  let count = 0;
  const found = await poll(async () => {
    const windows = await context.screen.windows(context);
    const matches = windows.filter(
      (window) =>
        (wanted.app === undefined || isOfApp(window, wanted.app)) &&
        (wanted.window === undefined || window.title.toLowerCase().includes(wanted.window.toLowerCase())) &&
        (wanted.app !== undefined || wanted.window !== undefined || window.isActive),
    );
    count = matches.length;
    return matches.length === 1 ? matches[0] : matches.find(({ isActive }) => isActive);
  }, context);
  if (found) return found;
  const description =
    [wanted.window, wanted.app].filter((part) => part !== undefined).join(' of ') || '(the active window)';
  if (count > 1) throw new PilothouseError('TARGET_AMBIGUOUS', `${count} windows match ${description}; add \`window\``);
  throw new PilothouseError(
    'TARGET_NOT_FOUND',
    `No window matches ${description}; open it, or correct \`window\` or \`app\``,
  );
}
