import {
  PilothouseError,
  type ActionName,
  type ActionOf,
  type DesktopActionName,
  type Target,
} from '@pilothouse/contract';
import {
  delayWithin,
  observationText,
  poll,
  remainingMs,
  type ActionOutcome,
  type ActionServices,
  type Deadline,
  type Screenshot,
} from '@pilothouse/core';
import { waitForCondition } from './desktop.conditions.ts';
import type { DesktopScreen, DesktopTarget } from './desktop-screen.ts';
import { parseKeyChord, toModifierKeys } from './input/key-names.ts';
import type { SessionClient } from './session/session-client.ts';
import type { WindowFacts } from './x/window-manager.ts';

/** What an action works with. */
export interface DesktopActionContext extends ActionServices {
  readonly session: SessionClient;
  readonly screen: DesktopScreen;
  screenshot(): Promise<Screenshot>;
}

type Handler<Name extends ActionName> = (
  context: DesktopActionContext,
  action: ActionOf<Name>,
) => Promise<ActionOutcome>;

/** Milliseconds for a field to show the typed text. */
const READ_BACK_MS = 1_500;

const click: Handler<'click'> = async (context, { target, button = 'left', count = 1, modifiers = [], position }) => {
  const found = await locateForPointer(context, target);
  const point = position && found.element ? offsetBy(found, position) : found.point;
  context.guard();
  await context.session.call(
    'click',
    { point, button, count, modifiers: toModifierKeys(modifiers) },
    optionsOf(context),
  );
  return { located: found.located };
};

const hover: Handler<'hover'> = async (context, { target, position }) => {
  const found = await locateForPointer(context, target);
  context.guard();
  await context.session.call(
    'move',
    position && found.element ? offsetBy(found, position) : found.point,
    optionsOf(context),
  );
  return { located: found.located };
};

const drag: Handler<'drag'> = async (context, { target, fromPosition, to, position, by }) => {
  const start = await locateForPointer(context, target);
  const from = fromPosition && start.element ? offsetBy(start, fromPosition) : start.point;
  const end = to ? await context.screen.locate(to, context) : null;
  const destination = end
    ? position && end.element
      ? offsetBy(end, position)
      : end.point
    : { x: from.x + (by?.x ?? 0), y: from.y + (by?.y ?? 0) };
  context.guard();
  await context.session.call('drag', { from, to: destination }, optionsOf(context));
  return { located: start.located };
};

const scroll: Handler<'scroll'> = async (context, { target, by, to }) => {
  const found = target ? await context.screen.locate(target, context) : null;
  const window = await context.session.call('activeWindow', null, optionsOf(context));
  const bounds = window?.bounds ?? { x: 0, y: 0, width: 100, height: 100 };
  const point = found?.point ?? { x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 };
  const far = 100_000;
  const distance = by ?? {
    x: to === 'left' ? -far : to === 'right' ? far : 0,
    y: to === 'top' ? -far : to === 'bottom' ? far : 0,
  };
  context.guard();
  const limit = (value = 0) => Math.min(Math.max(value, -20_000), 20_000);
  await context.session.call('scroll', { point, byX: limit(distance.x), byY: limit(distance.y) }, optionsOf(context));
  return { located: found?.located ?? null };
};

const fill: Handler<'fill'> = (context, { target, text, append = false }) => enterText(context, target, text, append);

const type: Handler<'type'> = async (context, { target, text, append = false }) => {
  if (target) return enterText(context, target, text, append);
  await context.screen.waitUntilStable(context);
  const window = await context.session.call('activeWindow', null, optionsOf(context));
  const plaintext = await context.reveal(text, window ? `app://${window.appId}` : 'app://desktop');
  context.guard();
  await context.session.call('type', { text: plaintext, timeoutMs: remainingMs(context) }, optionsOf(context));
  return { located: null };
};

const clear: Handler<'clear'> = (context, { target }) => enterText(context, target, '', false);

const press: Handler<'press'> = async (context, { key, target, times = 1 }) => {
  const found = target ? await locateForPointer(context, target) : null;
  const chord = parseKeyChord(key);
  if (!chord && [...key].length !== 1)
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `There is no key ${JSON.stringify(key)}; use names such as Enter or Control+A`,
    );
  await context.screen.waitUntilStable(context);
  context.guard();
  if (found)
    await context.session.call(
      'click',
      { point: found.point, button: 'left', count: 1, modifiers: [] },
      optionsOf(context),
    );
  if (chord) await context.session.call('press', { chord, times }, optionsOf(context));
  else
    await context.session.call(
      'type',
      { text: key.repeat(times), timeoutMs: remainingMs(context) },
      optionsOf(context),
    );
  return { located: found?.located ?? null };
};

const readClipboard: Handler<'readClipboard'> = async (context) => ({
  located: null,
  value: (await context.session.call('readClipboard', null, optionsOf(context))) ?? '',
});

const writeClipboard: Handler<'writeClipboard'> = async (context, { text }) => {
  const plaintext = await context.reveal(text, 'app://clipboard');
  context.guard();
  await context.session.call('writeClipboard', { text: plaintext }, optionsOf(context));
  return { located: null };
};

const check: Handler<'check'> = (context, { target }) => setChecked(context, target, true);

const uncheck: Handler<'uncheck'> = (context, { target }) => setChecked(context, target, false);

const selectOption: Handler<'selectOption'> = async (context, { target, option }) => {
  const labels = typeof option === 'string' ? [option] : option;
  const found = await locateForPointer(context, target);
  context.guard();
  await context.session.call(
    'click',
    { point: found.point, button: 'left', count: 1, modifiers: [] },
    optionsOf(context),
  );
  for (const label of labels) {
    const choices = [
      { role: 'menuitem', name: label, exact: true },
      { role: 'listitem', name: label, exact: true },
      { role: 'gridcell', name: label, exact: true },
    ];
    const choice = await context.screen.locate(choices, context);
    context.guard();
    await context.session.call(
      'click',
      { point: choice.point, button: 'left', count: 1, modifiers: [] },
      optionsOf(context),
    );
  }
  return { located: found.located };
};

const waitFor: Handler<'waitFor'> = async (context, { condition }) => {
  await waitForCondition(context.screen, condition, context);
  return { located: null };
};

const assert: Handler<'assert'> = waitFor as unknown as Handler<'assert'>;

const wait: Handler<'wait'> = async (context, { seconds }) => {
  await delayWithin(seconds * 1_000, context);
  return { located: null };
};

const observe: Handler<'observe'> = async (context, { level = 'interactive' }) => {
  await context.screen.waitUntilStable(context);
  return { located: null, value: observationText(await context.screen.observe(context), level) };
};

const screenshot: Handler<'screenshot'> = async (context) => {
  await context.screen.waitUntilStable(context);
  return { located: null, screenshot: await context.screenshot() };
};

/** Starts an application, and waits for a window that was not there before, or for one of the application to become active. */
const openApp: Handler<'openApp'> = async (context, { app, args = [] }) => {
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

const switchWindow: Handler<'switchWindow'> = async (context, wanted) => {
  const window = await findWindow(context, wanted);
  context.guard();
  if (!(await context.session.call('activate', { id: window.id }, optionsOf(context))))
    throw new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `The window ${JSON.stringify(window.title)} does not come to the front`,
    );
  return { located: null };
};

const closeWindow: Handler<'closeWindow'> = async (context, wanted) => {
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

/** LibreOffice and others name their windows after the document type: `libreoffice-calc`. */
const isOfApp = ({ appId, instance }: WindowFacts, app: string): boolean => {
  const name = app.toLowerCase();
  return appId === name || instance.toLowerCase() === name || name.endsWith(`.${appId}`);
};

/** Handlers of the actions that a desktop has. */
export const desktopActionHandlers = {
  openApp,
  switchWindow,
  closeWindow,
  click,
  hover,
  drag,
  scroll,
  fill,
  type,
  clear,
  press,
  readClipboard,
  writeClipboard,
  check,
  uncheck,
  selectOption,
  waitFor,
  wait,
  assert,
  observe,
  screenshot,
} satisfies { readonly [Name in DesktopActionName]: Handler<Name> };

const optionsOf = (context: Deadline) => ({ signal: context.signal, timeoutMs: Math.max(1_000, remainingMs(context)) });

/**
 * Locates a target, and verifies that its window is the topmost one at that point.
 * @throws PilothouseError TARGET_NOT_ACTIONABLE if another window covers it
 */
async function locateForPointer(context: DesktopActionContext, target: Target): Promise<DesktopTarget> {
  const found = await context.screen.locate(target, context);
  if (!found.element) return found;
  const [top, windows] = await Promise.all([
    context.session.call('windowAt', found.point, optionsOf(context)),
    context.session.call('windows', null, optionsOf(context)),
  ]);
  const covering = windows.find(({ id, isActive }) => id === top && !isActive);
  if (covering)
    throw new PilothouseError(
      'TARGET_NOT_ACTIONABLE',
      `${found.located.locator} is covered by the window ${JSON.stringify(covering.title)}`,
    );
  return found;
}

function offsetBy({ element, point }: DesktopTarget, position: { x: number; y: number }): { x: number; y: number } {
  return element
    ? { x: Math.round(element.bounds.x + position.x), y: Math.round(element.bounds.y + position.y) }
    : point;
}

/**
 * Replaces or extends the text of a field, and reads it back through the accessibility bus.
 * @throws PilothouseError TYPED_TEXT_DIFFERS with the position of the first difference
 */
async function enterText(
  context: DesktopActionContext,
  target: Target,
  text: string,
  isAppending: boolean,
): Promise<ActionOutcome> {
  const found = await locateForPointer(context, target);
  const window = await context.session.call('activeWindow', null, optionsOf(context));
  const plaintext = await context.reveal(text, `app://${window?.appId ?? 'desktop'}`);
  const before = isAppending && found.element ? ((await readValue(context, found)) ?? '') : '';
  context.guard();
  const options = optionsOf(context);
  if (!found.element?.state.focused)
    await context.session.call('click', { point: found.point, button: 'left', count: 1, modifiers: [] }, options);
  const chord = isAppending ? { modifiers: ['LeftControl'], key: 'End' } : { modifiers: ['LeftControl'], key: 'A' };
  await context.session.call('press', { chord, times: 1 }, options);
  if (plaintext === '')
    await context.session.call('press', { chord: { modifiers: [], key: 'Delete' }, times: 1 }, options);
  else await context.session.call('type', { text: plaintext, timeoutMs: remainingMs(context) }, options);
  await verifyValue(context, found, before + plaintext);
  return { located: found.located };
}

async function verifyValue(context: DesktopActionContext, found: DesktopTarget, expected: string): Promise<void> {
  if (!found.element || found.element.secret || found.element.node.value === undefined) return;
  const endsAt = performance.now() + READ_BACK_MS;
  let actual: string | null = null;
  await poll(
    async () => {
      actual = await readValue(context, found);
      return actual === null || normalized(actual) === normalized(expected) ? true : undefined;
    },
    { signal: context.signal, deadline: Math.min(context.deadline, endsAt) },
  );
  if (actual === null || normalized(actual) === normalized(expected)) return;
  throw new PilothouseError(
    'TYPED_TEXT_DIFFERS',
    `${found.located.locator} differs from the typed text at character ${firstDifference(normalized(actual), normalized(expected)) + 1}`,
  );
}

const readValue = (context: DesktopActionContext, { element }: DesktopTarget): Promise<string | null> =>
  element
    ? context.session.call(
        'readText',
        { bus: element.node.bus, path: element.node.path, timeoutMs: 1_000 },
        optionsOf(context),
      )
    : Promise.resolve(null);

/** Text views end with a line break of their own. */
const normalized = (text: string): string => text.replaceAll('\r\n', '\n').replace(/\n$/, '');

function firstDifference(first: string, second: string): number {
  let index = 0;
  while (index < first.length && first[index] === second[index]) index += 1;
  return index;
}

async function setChecked(context: DesktopActionContext, target: Target, isChecked: boolean): Promise<ActionOutcome> {
  const found = await locateForPointer(context, target);
  const { element } = found;
  if (element?.state.checked === undefined)
    throw new PilothouseError('ACTION_UNSUPPORTED', `${found.located.locator} is no checkbox, radio button or switch`);
  if (element.state.checked === isChecked) return { located: found.located };
  context.guard();
  await context.session.call(
    'click',
    { point: found.point, button: 'left', count: 1, modifiers: [] },
    optionsOf(context),
  );
  await poll(async () => {
    const { elements } = await context.screen.read(context);
    const after = elements.find(({ index }) => index === element.index);
    return !after || after.state.checked === isChecked ? true : undefined;
  }, context);
  return { located: found.located };
}
