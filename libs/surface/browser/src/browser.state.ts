import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_SAFE_POINT_CHARS } from '@pilothouse/contract/worker/assignment.schema';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import { raceDeadline, type Deadline } from '@pilothouse/core/time/deadlines';
import type { CDPSession, Page } from 'playwright-core';
import type { RunClipboard } from './clipboard/run-clipboard.ts';
import { forgetHistory, navigateToBlank, readPageDatabases, restoreOrigins } from './state/state-writer.ts';
import {
  BLANK_URL,
  type BrowserState,
  type Cookie,
  type OriginState,
  type StorageEntries,
  serializeState,
} from './state/state-format.ts';
import type { SurfacePages } from './pages/surface-pages.ts';
import { playwrightMessage } from './playwright-errors.ts';
import { navigate } from './actions/navigation.actions.ts';
import type { ActionContext } from './action-context.ts';

/** Storage by origin as of the last read. */
export type StorageByOrigin = Map<string, OriginState>;

/**
 * Serializes the state of the surface; null if it is not at a safe point. Everything is requested in the tick of the
 * call. Storage read after the page got input or another document is discarded. Cookies are read before Chromium gets
 * any later input.
 * @param origins results of earlier calls; updated by this one
 */
export async function saveState(
  pages: SurfacePages,
  origins: StorageByOrigin,
  { state: clipboard }: Pick<RunClipboard, 'state'>,
  context: Context & Deadline,
): Promise<string | null> {
  const safePoint = pages.safePoint();
  if (!safePoint) return null;
  const { page, cdp, tab } = safePoint;
  const url = page.url();
  const storage = readStorage(page, cdp, context);
  const reading = Promise.all([
    cdp.send('Network.getAllCookies'),
    tab.history.previousUrls(cdp),
    storage.then((contents) => (safePoint.isCurrent() ? contents : null)),
  ]);
  try {
    const [{ cookies }, previousUrls, pageStorage] = await raceDeadline(reading, context, 'The state of the page');
    if (!pageStorage) return null;
    updateStorage(origins, url, ...pageStorage);
    const state = { url, cookies: cookies.map(toCookieParam), before: previousUrls, clipboard };
    for (const savedOrigins of [[...origins.values()], withoutDatabases(origins)]) {
      const text = serializeState({ ...state, origins: savedOrigins });
      if (text.length <= MAX_SAFE_POINT_CHARS) return text;
    }
    context.log.warn(
      { limit: MAX_SAFE_POINT_CHARS },
      'The cookies, storage and clipboard are too large to save: the run cannot continue on another worker from this step',
    );
  } catch (error) {
    context.log.debug({ error: String(error).slice(0, 300) }, 'page state not readable');
  }
  return null;
}

/**
 * Records the local storage that a sibling page leaves behind. Its session storage is dropped with its window.
 * @param origins of the first page; updated
 * @param readsDatabases true to read IndexedDB as well, else its last known content stays
 */
export async function recordSiblingStorage(
  origins: StorageByOrigin,
  page: Page,
  cdp: CDPSession,
  readsDatabases: boolean,
  context: Context,
): Promise<void> {
  const url = page.url();
  const reading = readsDatabases ? readStorage(page, cdp, context) : Promise.all([readPageStorage(page, cdp), null]);
  const [states, pageDatabases] = await raceDeadline(reading, context, 'The storage of the page');
  // Another page of the origin may have been read in the meantime.
  const databases = pageDatabases ?? origins.get(URL.parse(url)?.origin ?? '')?.databases ?? null;
  const siblingStates = states.map((state) => state && { ...state, session: origins.get(state.origin)?.session ?? [] });
  updateStorage(origins, url, siblingStates, databases);
}

const readStorage = (page: Page, cdp: CDPSession, context: Context) =>
  Promise.all([readPageStorage(page, cdp), readPageDatabases(page, cdp, context).catch(() => null)]);

/**
 * Replaces the known storage of origins by what the page has now.
 * @param databases of the page's origin; null if unknown
 */
function updateStorage(
  origins: StorageByOrigin,
  url: string,
  states: readonly (OriginState | null)[],
  databases: OriginState['databases'] | null,
): void {
  const pageOrigin = URL.parse(url)?.origin;
  for (const state of states) {
    if (!state) continue;
    const originDatabases = (state.origin === pageOrigin ? databases : origins.get(state.origin)?.databases) ?? [];
    if (state.local.length + state.session.length + originDatabases.length > 0)
      origins.set(state.origin, { ...state, ...(originDatabases.length > 0 && { databases: originDatabases }) });
    else origins.delete(state.origin);
  }
}

const withoutDatabases = (origins: StorageByOrigin): OriginState[] =>
  [...origins.values()].map(({ databases: _large, ...state }) => state);

/** Reads the storage of a page's origins from the browser, not from the page. null: an origin has no storage. */
export const readPageStorage = (page: Page, cdp: CDPSession): Promise<(OriginState | null)[]> =>
  Promise.all(pageOrigins(page).map((origin) => originStorage(cdp, origin)));

/** Origin of the page followed by those of its frames, without duplicates. */
function pageOrigins(page: Page): string[] {
  const origins = page.frames().map((frame) => URL.parse(frame.url()));
  return [...new Set(origins.filter((url) => url?.protocol.startsWith('http')).map((url) => url?.origin ?? ''))];
}

/**
 * Reads the storage of an origin from the browser, not from the page.
 * @returns null for a cross-site frame with partitioned storage or a sandboxed page
 */
async function originStorage(cdp: CDPSession, origin: string): Promise<OriginState | null> {
  const items = async (isLocalStorage: boolean) => {
    const storageId = { securityOrigin: origin, isLocalStorage };
    const { entries } = await cdp.send('DOMStorage.getDOMStorageItems', { storageId });
    return entries as unknown as StorageEntries;
  };
  const [local, session] = await Promise.all(
    [items(true), items(false)].map((pageDatabases) => pageDatabases.catch(() => null)),
  );
  return local && session ? { origin, local, session } : null;
}

/** Converts a cookie to the parameter that sets it again. Session cookies have no expiry. */
function toCookieParam<ListedCookie extends Cookie & { size: number; session: boolean; expires: number }>(
  listedCookie: ListedCookie,
) {
  const { size: _size, session, expires, ...cookie } = listedCookie;
  return { ...cookie, ...(!session && { expires }) };
}

/**
 * Restores a state on a new surface. Nothing is sent before the guard agrees. Then the URL of the page is opened
 * once, if there is one.
 * @throws PilothouseError NAVIGATION_FAILED; PROTOCOL_INVALID if Chromium rejects the state
 */
export async function restoreState(ctx: ActionContext, cdp: CDPSession, state: BrowserState): Promise<void> {
  const { url, cookies, origins } = state;
  try {
    await raceDeadline(cdp.send('Network.setCookies', { cookies: [...cookies] }), ctx, 'The cookies');
    if (origins.length > 0) await restoreOrigins(ctx.page, origins, ctx);
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof PilothouseError) throw error;
    throw new PilothouseError('PROTOCOL_INVALID', `Chromium rejected the saved state: ${playwrightMessage(error)}`);
  }
  if (url !== BLANK_URL) await navigate(ctx, { action: 'navigate', url });
  else if (origins.length > 0) await navigateToBlank(ctx.page, ctx);
  else return;
  // The run never saw the blank pages, so going back must not lead there.
  await forgetHistory(cdp, ctx);
}
