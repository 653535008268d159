import { assert, waitFor } from './browser.condition.ts';
import { extract } from './browser.extract.ts';
import { click, press } from './browser.input.ts';
import { navigate } from './browser.navigate.ts';
import { takeScreenshot } from './browser.screen.ts';
import { select } from './browser.select.ts';
import { type } from './browser.type.ts';
import { upload } from './browser.upload.ts';
import type { Handler, Handlers } from './hand.ts';

const screenshot: Handler<'screenshot'> = async (hand, { fullPage }) => {
  await hand.settled();
  return { located: null, screenshot: await takeScreenshot(hand, { fullPage }) };
};

/** What a browser does for each action of the vocabulary. */
export const handlers = {
  navigate,
  click,
  type,
  press,
  select,
  upload,
  waitFor,
  assert,
  extract,
  screenshot,
} satisfies Handlers;
