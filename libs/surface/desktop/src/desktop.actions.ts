import type { DesktopActionName } from '@pilothouse/contract/actions/surface-support';
import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { observationText } from '@pilothouse/core/observation/observation-text';
import type { ActionOutcome } from '@pilothouse/core/ports/surface-action.port';
import { delayWithin, poll } from '@pilothouse/core/time/deadlines';
import {
  clickAt,
  locateForPointer,
  offsetBy,
  pageFieldOf,
  type DesktopActionContext,
  type DesktopHandler,
} from './action-context.ts';
import type { DesktopElement } from './accessibility/accessible-node.ts';
import { optionsOf } from './session/session-client.ts';
import { isEqualRectangle } from './x/rectangle.ts';
import { extract } from './actions/extract.actions.ts';
import { clear, fill, press, type } from './actions/text.actions.ts';
import { collectFile, putFile } from './actions/file.actions.ts';
import { fillFileDialog } from './actions/file-dialog.actions.ts';
import { selectMenuItem } from './actions/menu.actions.ts';
import { closeWindow, listWindows, openApp, setWindow, switchWindow } from './actions/window.actions.ts';
import { waitForCondition } from './desktop.conditions.ts';
import { incompleteCauses } from './observation/incomplete-list.ts';
import { toModifierKeys } from './input/key-names.ts';
import type { DesktopTarget } from './desktop.screen.ts';
import type { ClickResult } from './session/session-protocol.ts';

/** Nothing reads the effect of input at a point of the screen. */
const UNREAD = { effect: 'unverifiable' } as const;

const click: DesktopHandler<'click'> = async (
  context,
  { target, button = 'left', count = 1, modifiers = [], position },
) => {
  // Between the search and the press the window may move, be covered, or show something else.
  let result = 'obstructed' as ClickResult;
  const clickedTarget = await poll(async () => {
    const found = await locateForPointer(context, target);
    const point = position && found.element ? offsetBy(found, position) : found.point;
    context.guard();
    const args = { point, button, count, modifiers: toModifierKeys(modifiers), window: found.window };
    const source = screenshotSourceOf(found);
    result = await context.session.call(
      'click',
      { ...args, source, field: pageFieldOf(found.element) },
      optionsOf(context),
    );
    if (result === 'changed') context.screen.markParseOutdated();
    return result === 'pressed' ? found : undefined;
  }, context);
  if (clickedTarget) return { located: clickedTarget.located, ...UNREAD };
  throw new PilothouseError(
    'TARGET_NOT_ACTIONABLE',
    result === 'changed'
      ? 'The target keeps changing its look; wait until the window is stable'
      : 'The window of the target is moving or covered; wait, or activate the window first',
  );
};

/** Screenshot that a target was parsed from; null for other targets. */
const screenshotSourceOf = ({ element }: DesktopTarget) =>
  element?.node.screenshotId === undefined
    ? null
    : { screenshotId: element.node.screenshotId, region: element.node.extents };

const hover: DesktopHandler<'hover'> = async (context, { target, position }) => {
  const found = await locateForPointer(context, target);
  context.guard();
  await context.session.call(
    'move',
    position && found.element ? offsetBy(found, position) : found.point,
    optionsOf(context),
  );
  return { located: found.located, ...UNREAD };
};

const drag: DesktopHandler<'drag'> = async (
  context,
  { target, fromPosition, to: dropTarget, position, by: offset },
) => {
  const start = await locateForPointer(context, target);
  const source = fromPosition && start.element ? offsetBy(start, fromPosition) : start.point;
  const end = dropTarget ? await context.screen.locate(dropTarget, context) : null;
  const destination = end
    ? position && end.element
      ? offsetBy(end, position)
      : end.point
    : { x: source.x + (offset?.x ?? 0), y: source.y + (offset?.y ?? 0) };
  context.guard();
  await context.session.call('drag', { from: source, to: destination }, optionsOf(context));
  const ends = end?.located.alternatives;
  return { located: { ...start.located, ...(ends && { ends }) }, ...UNREAD };
};

const scroll: DesktopHandler<'scroll'> = async (context, { target, by: offset, to: edge }) => {
  const found = target ? await context.screen.locate(target, context) : null;
  const window = await context.session.call('activeWindow', null, optionsOf(context));
  const bounds = window?.bounds ?? { x: 0, y: 0, width: 100, height: 100 };
  const point = found?.point ?? { x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 };
  const far = 100_000;
  const distance = offset ?? {
    x: edge === 'left' ? -far : edge === 'right' ? far : 0,
    y: edge === 'top' ? -far : edge === 'bottom' ? far : 0,
  };
  context.guard();
  const limit = (value = 0) => Math.min(Math.max(value, -20_000), 20_000);
  await context.session.call('scroll', { point, byX: limit(distance.x), byY: limit(distance.y) }, optionsOf(context));
  return { located: found?.located ?? null, ...UNREAD };
};

const readClipboard: DesktopHandler<'readClipboard'> = async (context) => ({
  located: null,
  value: (await context.session.call('readClipboard', null, optionsOf(context))) ?? '',
});

const writeClipboard: DesktopHandler<'writeClipboard'> = async (context, { text }) => {
  const plaintext = await context.reveal(text, 'app://clipboard');
  context.guard();
  await context.session.call('writeClipboard', { text: plaintext }, optionsOf(context));
  return { located: null, ...UNREAD };
};

const check: DesktopHandler<'check'> = (context, { target }) => setChecked(context, target, true);

const uncheck: DesktopHandler<'uncheck'> = (context, { target }) => setChecked(context, target, false);

const selectOption: DesktopHandler<'selectOption'> = async (context, { target, option }) => {
  const labels = typeof option === 'string' ? [option] : option;
  const found = await locateForPointer(context, target, 'select');
  context.guard();
  await clickAt(context, found);
  for (const label of labels) {
    const choices = [
      { role: 'menuitem', name: label, exact: true },
      { role: 'listitem', name: label, exact: true },
      { role: 'gridcell', name: label, exact: true },
    ];
    const choice = await context.screen.locate(choices, context);
    context.guard();
    await clickAt(context, choice);
  }
  return { located: found.located, ...UNREAD };
};

const waitFor: DesktopHandler<'waitFor'> = async (context, { condition }) => {
  await waitForCondition(context.screen, condition, context);
  return { located: null };
};

const assert: DesktopHandler<'assert'> = waitFor as unknown as DesktopHandler<'assert'>;

const wait: DesktopHandler<'wait'> = async (context, { seconds }) => {
  await delayWithin(seconds * 1_000, context);
  return { located: null };
};

const observe: DesktopHandler<'observe'> = async (context, { level = 'interactive', locators = false }) => {
  await context.screen.waitUntilStable(context);
  context.expectedWindow.set(null);
  return { located: null, value: observationText(await context.screen.observe(context, { level, locators }), level) };
};

const screenshot: DesktopHandler<'screenshot'> = async (context) => {
  await context.screen.waitUntilStable(context);
  return { located: null, screenshot: await context.screenshot() };
};

/** Handlers of the actions that a desktop has. */
export const desktopActionHandlers = {
  openApp,
  switchWindow,
  closeWindow,
  listWindows,
  setWindow,
  selectMenuItem,
  fillFileDialog,
  putFile,
  collectFile,
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
  extract,
  observe,
  screenshot,
} satisfies { readonly [Name in DesktopActionName]: DesktopHandler<Name> };

async function setChecked(context: DesktopActionContext, target: Target, isChecked: boolean): Promise<ActionOutcome> {
  const found = await locateForPointer(context, target, 'check');
  const { element } = found;
  if (element?.state.checked === undefined)
    throw new PilothouseError('ACTION_UNSUPPORTED', `${found.located.locator} is no checkbox, radio button or switch`);
  if (element.state.checked === isChecked) return { located: found.located };
  context.guard();
  await clickAt(context, found);
  const oldState = isChecked ? 'unchecked' : 'checked';
  let problem = '';
  const isSet = await poll(async () => {
    const { tree, elements } = await context.screen.read(context);
    const current = elements.find((each) => isSameElement(each, element));
    problem = `stays ${oldState} after the click`;
    if (current) return current.state.checked === isChecked ? true : undefined;
    // The click may close its window. An element that is only not listed may have the old state.
    if (tree.incomplete === null) return true;
    problem = `was clicked, but its new state was not read: ${incompleteCauses[tree.incomplete]}`;
    return undefined;
  }, context);
  if (!isSet) throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${found.located.locator} ${problem}`);
  return { located: found.located };
}

/** True for the same object, and for one that looks the same: Qt makes new objects for cells at each read. */
const isSameElement = (first: DesktopElement, second: DesktopElement): boolean =>
  (first.node.bus === second.node.bus && first.node.path === second.node.path) ||
  (first.role === second.role && first.name === second.name && isEqualRectangle(first.bounds, second.bounds));
