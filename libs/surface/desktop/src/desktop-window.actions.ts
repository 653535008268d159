import { PilothouseError } from '@pilothouse/contract';
import { poll } from '@pilothouse/core';
import { optionsOf, type DesktopActionContext, type DesktopHandler } from './desktop-action-context.ts';
import { isOfApp } from './window-match.ts';
import type { WindowFacts } from './x/window-manager.ts';

/** Starts an application, and waits for a window that was not there before, or for one of the application to become active. */
export const openApp: DesktopHandler<'openApp'> = async (context, { app, args = [] }) => {
  // A template may render to an option.
  const option = args.find((arg) => !/^[^-]/.test(arg));
  if (option !== undefined)
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `${JSON.stringify(option)} is no file or URL; options are not passed`,
    );
  const options = optionsOf(context);
  const before = new Set((await context.session.call('windows', null, options)).map(({ id }) => id));
  context.guard();
  await context.session.call('openApp', { app, files: args }, options);
  const opened = await poll(async () => {
    const windows = await context.session.call('windows', null, options);
    return windows.find((window) => window.isActive && (!before.has(window.id) || isOfApp(window, app)));
  }, context);
  if (!opened) throw new PilothouseError('STEP_TIMED_OUT', `${app} opened no window within the time of the step`);
  return { located: null, value: { app: opened.appId, title: opened.title } };
};

export const switchWindow: DesktopHandler<'switchWindow'> = async (context, wanted) => {
  const window = await findWindow(context, wanted);
  context.guard();
  if (!(await context.session.call('activate', { id: window.id }, optionsOf(context))))
    throw new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `The window ${JSON.stringify(window.title)} does not come to the front`,
    );
  return { located: null };
};

export const closeWindow: DesktopHandler<'closeWindow'> = async (context, wanted) => {
  const window = await findWindow(context, wanted);
  context.guard();
  // The application may ask whether to save; the next step answers.
  await context.session.call('closeWindow', { id: window.id }, optionsOf(context));
  return { located: null };
};

interface WantedWindow {
  readonly app?: string | undefined;
  readonly title?: string | undefined;
}

/** @throws PilothouseError TARGET_NOT_FOUND at the deadline, TARGET_AMBIGUOUS */
async function findWindow(context: DesktopActionContext, wanted: WantedWindow): Promise<WindowFacts> {
  let count = 0;
  const found = await poll(async () => {
    const windows = await context.session.call('windows', null, optionsOf(context));
    const matches = windows.filter(
      (window) =>
        (wanted.app === undefined || isOfApp(window, wanted.app)) &&
        (wanted.title === undefined || window.title.toLowerCase().includes(wanted.title.toLowerCase())) &&
        (wanted.app !== undefined || wanted.title !== undefined || window.isActive),
    );
    count = matches.length;
    return matches.length === 1 ? matches[0] : matches.find(({ isActive }) => isActive);
  }, context);
  if (found) return found;
  const description = [wanted.title, wanted.app].filter((part) => part !== undefined).join(' of ') || 'that is active';
  if (count > 1) throw new PilothouseError('TARGET_AMBIGUOUS', `${count} windows match ${description}; add \`title\``);
  throw new PilothouseError('TARGET_NOT_FOUND', `There is no window ${description}`);
}
