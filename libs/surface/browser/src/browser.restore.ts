import { PilothouseError } from '@pilothouse/contract';
import type { CDPSession, Page } from 'playwright-core';
import { firstLine } from './browser.locate.ts';
import { navigate } from './browser.navigate.ts';
import { BLANK, type BrowserState, type OriginState } from './browser.state.ts';
import type { Hand } from './hand.ts';
import { inPage } from './page/in-page.ts';
import { bounded } from './wait.ts';

/** Stands in for every page while storage is filled; the icon keeps a browser with a window from asking for one. */
const EMPTY = '<!doctype html><link rel="icon" href="data:,">';

const fillStorage = inPage((_: Element, { local, session }: OriginState) => {
  for (const [key, value] of local) localStorage.setItem(key, value);
  for (const [key, value] of session) sessionStorage.setItem(key, value);
});

/**
 * Brings a new surface to a state. Nothing is sent before the guard has said yes; then the address of the page is opened, once, if it
 * had one.
 * @throws PilothouseError NAVIGATION_FAILED; PROTOCOL_INVALID for a state that Chromium does not take
 */
export async function restoreState(hand: Hand, wire: CDPSession, state: BrowserState): Promise<void> {
  const { url, cookies, origins } = state;
  try {
    await bounded(wire.send('Network.setCookies', { cookies: [...cookies] }), hand, 'The cookies');
    if (origins.length > 0) await withoutNetwork(hand, (page) => fillEach(hand, page, origins));
  } catch (thrown) {
    hand.signal.throwIfAborted();
    if (thrown instanceof PilothouseError) throw thrown;
    throw new PilothouseError('PROTOCOL_INVALID', `Chromium does not take the saved state: ${firstLine(thrown)}`);
  }
  if (url !== BLANK) await navigate(hand, { action: 'navigate', url });
  else if (origins.length > 0) await bounded(hand.page.goto(BLANK), hand, 'The blank page');
  else return;
  /* The run never saw the empty pages: there is nothing to go back to. */
  await bounded(wire.send('Page.resetNavigationHistory'), hand, 'The history');
}

/** Does something with a page that gets nothing but empty documents meanwhile. */
async function withoutNetwork(hand: Hand, work: (page: Page) => Promise<void>): Promise<void> {
  const { page } = hand;
  const everything = '**/*';
  await bounded(
    page.route(everything, (route) => route.fulfill({ contentType: 'text/html', body: EMPTY })),
    hand,
    'The empty page',
  );
  try {
    await work(page);
  } finally {
    await bounded(page.unroute(everything), hand, 'The empty page');
  }
}

async function fillEach(hand: Hand, page: Page, origins: readonly OriginState[]): Promise<void> {
  for (const state of origins) {
    await bounded(page.goto(state.origin, { waitUntil: 'commit' }), hand, `The storage of ${state.origin}`);
    await bounded(page.locator('html').evaluate(fillStorage, state), hand, `The storage of ${state.origin}`);
  }
}
