import { type Deadline, type Log, limitDeadline, raceDeadline } from '@pilothouse/core';
import type { CDPSession, Page } from 'playwright-core';
import { restoreDatabases, readDatabases, type IndexedDbDatabase, type IndexedDbDump } from '../injected/indexed-db.ts';
import { BLANK_URL, type OriginState } from './state-format.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';

/** Most characters of the databases of an origin that are kept, and milliseconds for reading them. */
const MOST = 400_000;
const READING = 1_000;

/* What bundlers put around functions to keep their names. */
const PRELUDE = 'const __name = (it) => it;';

/**
 * The databases of IndexedDB of the origin that a page shows, read in a world of their own.
 * @returns empty for an origin that has none; null where they are too large, or cannot be read
 * @throws Error when they are not to be had in time
 */
export async function readPageDatabases(
  page: Page,
  wire: CDPSession,
  bound: Deadline & { log: Log },
): Promise<IndexedDbDatabase[] | null> {
  const { protocol, origin } = URL.parse(page.url()) ?? {};
  if (!protocol?.startsWith('http') || !origin) return [];
  const { databaseNames } = await wire.send('IndexedDB.requestDatabaseNames', { securityOrigin: origin });
  if (databaseNames.length === 0) return [];
  const { frameTree } = await wire.send('Page.getFrameTree');
  const { executionContextId } = await wire.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'databases',
  });
  const reading = wire.send('Runtime.evaluate', {
    contextId: executionContextId,
    expression: `{ ${PRELUDE} (${readDatabases.toString()})(${MOST}) }`,
    awaitPromise: true,
    returnByValue: true,
  });
  const { result } = await raceDeadline(reading, limitDeadline(bound, READING), 'The databases');
  const read = (result.value ?? null) as IndexedDbDump | null;
  if (!read) bound.log.debug({ origin, limit: MOST }, 'The databases of the site are too large to be kept');
  else if (read.left > 0) bound.log.debug({ origin, records: read.left }, 'Records with files or keys were left out');
  return read?.databases ?? null;
}

/** Makes the databases of an origin. @param page shows an empty document of it */
export async function restorePageDatabases(
  page: Page,
  databases: readonly IndexedDbDatabase[],
  bound: Deadline,
): Promise<void> {
  const expression = `{ ${PRELUDE} (${restoreDatabases.toString()})(${JSON.stringify(databases)}) }`;
  await raceDeadline(page.evaluate(expression), bound, 'The databases');
}

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
