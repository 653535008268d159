import type { Log } from '@pilothouse/core/ports/runtime.port';
import { type Deadline, limitDeadline, raceDeadline } from '@pilothouse/core/time/deadlines';
import type { CDPSession, Page } from 'playwright-core';
import { restoreDatabases, readDatabases, type IndexedDbDatabase, type IndexedDbDump } from '../injected/indexed-db.ts';
import { BLANK_URL, type OriginState } from './state-format.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';

/** Maximum size of an origin's databases in characters, and timeout for reading them. */
const MAX_DATABASE_CHARS = 400_000;
const READ_TIMEOUT_MS = 1_000;

// Defines the bundler's helper that keeps function names.
const PRELUDE = 'const __name = (it) => it;';

/**
 * Reads the IndexedDB databases of a page's origin in an isolated world.
 * @returns empty without databases; null if they are too large or cannot be read
 * @throws Error at the deadline
 */
export async function readPageDatabases(
  page: Page,
  cdp: CDPSession,
  deadline: Deadline & { log: Log },
): Promise<IndexedDbDatabase[] | null> {
  const { protocol, origin } = URL.parse(page.url()) ?? {};
  if (!protocol?.startsWith('http') || !origin) return [];
  const { databaseNames } = await cdp.send('IndexedDB.requestDatabaseNames', { securityOrigin: origin });
  if (databaseNames.length === 0) return [];
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const { executionContextId } = await cdp.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'databases',
  });
  const reading = cdp.send('Runtime.evaluate', {
    contextId: executionContextId,
    expression: `{ ${PRELUDE} (${readDatabases.toString()})(${MAX_DATABASE_CHARS}) }`,
    awaitPromise: true,
    returnByValue: true,
  });
  const { result } = await raceDeadline(reading, limitDeadline(deadline, READ_TIMEOUT_MS), 'The databases');
  const dump = (result.value ?? null) as IndexedDbDump | null;
  if (!dump) deadline.log.debug({ origin, limit: MAX_DATABASE_CHARS }, 'IndexedDB of the site too large to save');
  else if (dump.skippedRecords > 0)
    deadline.log.debug({ origin, records: dump.skippedRecords }, 'IndexedDB records with files or keys skipped');
  return dump?.databases ?? null;
}

/** Creates the databases of an origin. @param page shows an empty document of it */
export async function restorePageDatabases(
  page: Page,
  databases: readonly IndexedDbDatabase[],
  deadline: Deadline,
): Promise<void> {
  const expression = `{ ${PRELUDE} (${restoreDatabases.toString()})(${JSON.stringify(databases)}) }`;
  await raceDeadline(page.evaluate(expression), deadline, 'The databases');
}

/** Replaces every page while storage is restored. The icon prevents a request for /favicon.ico. */
const EMPTY_DOCUMENT = '<!doctype html><link rel="icon" href="data:,">';

const fillStorage = pageFunction((_: Element, { local, session }: OriginState) => {
  for (const [key, value] of local) localStorage.setItem(key, value);
  for (const [key, value] of session) sessionStorage.setItem(key, value);
});

/** Restores the storage of origins on empty documents without network requests. The page ends at the last origin. */
export async function restoreOrigins(page: Page, origins: readonly OriginState[], deadline: Deadline): Promise<void> {
  const allUrls = '**/*';
  const routed = page.route(allUrls, (route) => route.fulfill({ contentType: 'text/html', body: EMPTY_DOCUMENT }));
  await raceDeadline(routed, deadline, 'The empty page');
  try {
    for (const state of origins) {
      const subject = `The storage of ${state.origin}`;
      await raceDeadline(page.goto(state.origin, { waitUntil: 'commit' }), deadline, subject);
      const { databases = [], ...storage } = state;
      await raceDeadline(page.locator('html').evaluate(fillStorage, storage), deadline, subject);
      if (databases.length > 0) await restorePageDatabases(page, databases, deadline);
    }
  } finally {
    await raceDeadline(page.unroute(allUrls), deadline, 'The empty page');
  }
}

/** Navigates a page back to about:blank, so that previous pages are not visible. */
export async function navigateToBlank(page: Page, deadline: Deadline): Promise<void> {
  await raceDeadline(page.goto(BLANK_URL), deadline, 'The blank page');
}

/** Clears the browser history of a page. @param cdp session of the page */
export async function forgetHistory(cdp: CDPSession, deadline: Deadline): Promise<void> {
  await raceDeadline(cdp.send('Page.resetNavigationHistory'), deadline, 'The history');
}
