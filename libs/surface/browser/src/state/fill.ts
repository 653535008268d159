import type { CDPSession, Page } from 'playwright-core';
import { fillDatabasesIn } from './databases.ts';
import { BLANK, type OriginState } from './state.ts';
import { inPage } from '../page/in-page.ts';
import { bounded, type Bound } from '../wait.ts';

/** Stands in for every page while storage is filled; the icon keeps a browser with a window from asking for one. */
const EMPTY = '<!doctype html><link rel="icon" href="data:,">';

const fillStorage = inPage((_: Element, { local, session }: OriginState) => {
  for (const [key, value] of local) localStorage.setItem(key, value);
  for (const [key, value] of session) sessionStorage.setItem(key, value);
});

/** Fills in the storage of origins on empty documents of them: nothing is asked of anybody. The page is at the last of them then. */
export async function fillOrigins(page: Page, origins: readonly OriginState[], bound: Bound): Promise<void> {
  const everything = '**/*';
  const fulfilled = page.route(everything, (route) => route.fulfill({ contentType: 'text/html', body: EMPTY }));
  await bounded(fulfilled, bound, 'The empty page');
  try {
    for (const state of origins) {
      const what = `The storage of ${state.origin}`;
      await bounded(page.goto(state.origin, { waitUntil: 'commit' }), bound, what);
      const { databases = [], ...storage } = state;
      await bounded(page.locator('html').evaluate(fillStorage, storage), bound, what);
      if (databases.length > 0) await fillDatabasesIn(page, databases, bound);
    }
  } finally {
    await bounded(page.unroute(everything), bound, 'The empty page');
  }
}

/** Takes a page back to where it began: there is nothing to go back to, and nobody sees that it was anywhere. */
export async function toBlank(page: Page, bound: Bound): Promise<void> {
  await bounded(page.goto(BLANK), bound, 'The blank page');
}

/** Forgets what the page showed. @param wire of the page */
export async function forgetHistory(wire: CDPSession, bound: Bound): Promise<void> {
  await bounded(wire.send('Page.resetNavigationHistory'), bound, 'The history');
}
