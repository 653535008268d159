import { check, selectOption, uncheck } from './actions/form.actions.ts';
import { assert, wait, waitFor } from './actions/wait.actions.ts';
import { clear, fill, readClipboard, type, writeClipboard } from './actions/text.actions.ts';
import { download, pdf, upload } from './actions/file.actions.ts';
import { extract } from './actions/extract.actions.ts';
import { goBack, goForward, navigate, reload } from './actions/navigation.actions.ts';
import { press } from './actions/key.actions.ts';
import { drag } from './actions/drag.actions.ts';
import { click, hover } from './actions/pointer.actions.ts';
import { scroll } from './actions/scroll.action.ts';
import { takeScreenshot } from './browser.screen.ts';
import { closeTab, handleDialog, switchTab } from './actions/tab.actions.ts';
import { observationText } from '@pilothouse/core/observation/observation-text';
import { BrowserObserver } from './browser.observation.ts';
import { observeWithLocators } from './observation/add-locators.ts';
import type { ActionHandler, ActionHandlers } from './action-context.ts';

const screenshot: ActionHandler<'screenshot'> = async (ctx, { fullPage }) => {
  await ctx.waitUntilSettled();
  return { located: null, screenshot: await takeScreenshot(ctx, { fullPage }) };
};

/** Returns the element list as text. Its numbers are valid as locators afterwards. */
const observe: ActionHandler<'observe'> = async (ctx, { level = 'interactive', locators = false }) => {
  await ctx.waitUntilSettled();
  if (locators) return { located: null, value: observationText(await observeWithLocators(ctx, level), level) };
  const page = await BrowserObserver.forPage(ctx.page).observe({ level }, ctx);
  return { located: null, value: page.text(level) };
};

export const browserActionHandlers = {
  navigate,
  goBack,
  goForward,
  reload,
  switchTab,
  closeTab,
  handleDialog,
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
  upload,
  download,
  waitFor,
  wait,
  assert,
  extract,
  observe,
  screenshot,
  pdf,
} satisfies ActionHandlers;
