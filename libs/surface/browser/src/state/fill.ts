import type { CDPSession, Page } from 'playwright-core';
import { restorePageDatabases } from './databases.ts';
import { BLANK_URL, type OriginState } from './state.ts';
import { pageFunction } from '../page/in-page.ts';
import { raceDeadline, type Deadline } from '../wait.ts';

/** Stands in for every page while storage is filled; the icon keeps a browser with a window from asking for one. */
const EMPTY = '<!doctype html><link rel="icon" href="data:,">';

const fillStorage = pageFunction((_: Element, { local, session }: OriginState) => {
  for (const [key, value] of local) localStorage.setItem(key, value);
  for (const [key, value] of session) sessionStorage.setItem(key, value);
});

/** Fills in the storage of origins on empty documents of them: nothing is asked of anybody. The page is at the last of them then. */
export async function restoreOrigins(page: Page, origins: readonly OriginState[], bound: Deadline): Promise<void> {
  const everything = '**/*';
  const fulfilled = page.route(everything, (route) => route.fulfill({ contentType: 'text/html', body: EMPTY }));
  await raceDeadline(fulfilled, bound, 'The empty page');
  try {
    for (const state of origins) {
      const what = `The storage of ${state.origin}`;
      await raceDeadline(page.goto(state.origin, { waitUntil: 'commit' }), bound, what);
      const { databases = [], ...storage } = state;
      await raceDeadline(page.locator('html').evaluate(fillStorage, storage), bound, what);
      if (databases.length > 0) await restorePageDatabases(page, databases, bound);
    }
  } finally {
    await raceDeadline(page.unroute(everything), bound, 'The empty page');
  }
}

/** Takes a page back to where it began: there is nothing to go back to, and nobody sees that it was anywhere. */
export async function navigateToBlank(page: Page, bound: Deadline): Promise<void> {
  await raceDeadline(page.goto(BLANK_URL), bound, 'The blank page');
}

/** Forgets what the page showed. @param wire of the page */
export async function forgetHistory(wire: CDPSession, bound: Deadline): Promise<void> {
  await raceDeadline(wire.send('Page.resetNavigationHistory'), bound, 'The history');
}
