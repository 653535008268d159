import type { Log } from '@pilothouse/core';
import type { CDPSession, Page } from 'playwright-core';
import { restoreDatabases, readDatabases, type IndexedDbDatabase, type IndexedDbDump } from '../page/databases.ts';
import { withTimeout, raceDeadline, type Deadline } from '../wait.ts';

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
  const { result } = await raceDeadline(reading, withTimeout(bound, READING), 'The databases');
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
