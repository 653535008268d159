import type { Log } from '@pilothouse/core';
import type { CDPSession, Page } from 'playwright-core';
import { fillDatabases, readDatabases, type Database, type ReadDatabases } from '../page/databases.ts';
import { atMost, bounded, type Bound } from '../wait.ts';

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
export async function databasesIn(
  page: Page,
  wire: CDPSession,
  bound: Bound & { log: Log },
): Promise<Database[] | null> {
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
  const { result } = await bounded(reading, atMost(bound, READING), 'The databases');
  const read = (result.value ?? null) as ReadDatabases | null;
  if (!read) bound.log.debug({ origin, limit: MOST }, 'The databases of the site are too large to be kept');
  else if (read.left > 0) bound.log.debug({ origin, records: read.left }, 'Records with files or keys were left out');
  return read?.databases ?? null;
}

/** Makes the databases of an origin. @param page shows an empty document of it */
export async function fillDatabasesIn(page: Page, databases: readonly Database[], bound: Bound): Promise<void> {
  const expression = `{ ${PRELUDE} (${fillDatabases.toString()})(${JSON.stringify(databases)}) }`;
  await bounded(page.evaluate(expression), bound, 'The databases');
}
