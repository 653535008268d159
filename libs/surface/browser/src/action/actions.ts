import { check, uncheck } from './check.ts';
import { assert, wait, waitFor } from './condition.ts';
import { clipboard } from './copied.ts';
import { download, pdf } from './download.ts';
import { extract } from './extract/extract.ts';
import { back, forward, reload } from './history.ts';
import { press } from '../browser.input.ts';
import { navigate } from './navigate.ts';
import { drag } from './drag.ts';
import { click, hover } from './pointer.ts';
import { takeScreenshot } from '../browser.screen.ts';
import { scroll } from './scroll.ts';
import { select } from './select.ts';
import { closeTab, dialog, switchTab } from './switch.ts';
import { clear, type } from './type.ts';
import { upload } from './upload.ts';
import { observationText } from '@pilothouse/core';
import { BrowserObserver } from '../elements/list.ts';
import { observeWithLocators } from '../elements/with-locators.ts';
import type { ActionHandler, ActionHandlers } from '../hand.ts';

const screenshot: ActionHandler<'screenshot'> = async (hand, { fullPage }) => {
  await hand.settled();
  return { located: null, screenshot: await takeScreenshot(hand, { fullPage }) };
};

/** The list of elements as a text; its numbers are locators from then on. */
const observe: ActionHandler<'observe'> = async (hand, { level = 'interactive', locators = false }) => {
  await hand.settled();
  if (locators) return { located: null, value: observationText(await observeWithLocators(hand, level), level) };
  const seen = await BrowserObserver.of(hand.page).observe({ level }, hand);
  return { located: null, value: seen.text(level) };
};

/** What a browser does for each action of the vocabulary. */
export const browserActionHandlers = {
  navigate,
  back,
  forward,
  reload,
  switchTab,
  closeTab,
  dialog,
  click,
  hover,
  drag,
  scroll,
  type,
  clear,
  press,
  clipboard,
  check,
  uncheck,
  select,
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
