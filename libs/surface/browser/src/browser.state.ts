import { MAX_SAFE_POINT_CHARS, PilothouseError } from '@pilothouse/contract';
import { type Context, raceDeadline } from '@pilothouse/core';
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

/** Storage by origin, as it was when it was last looked at. */
export type StorageByOrigin = Map<string, OriginState>;

/**
 * The state of the surface as a text, or null when it is not at a safe point. All is asked for in the tick of the call. Storage that
 * is read after the page got input or another document is not of that moment any more. Cookies are: they are read before Chromium
 * gets what is sent next.
 * @param origins what earlier calls found; completed by this one
 */
export async function saveState(
  tabs: SurfacePages,
  origins: StorageByOrigin,
  { state: clipboard }: Pick<RunClipboard, 'state'>,
  context: Context,
): Promise<string | null> {
  const point = tabs.safePoint();
  if (!point) return null;
  const { page, wire, tab } = point;
  const url = page.url();
  const storage = storedIn(page, wire, context);
  const asked = Promise.all([
    wire.send('Network.getAllCookies'),
    tab.past.before(wire),
    storage.then((all) => (point.holds() ? all : null)),
  ]);
  try {
    const [{ cookies }, before, found] = await raceDeadline(asked, context, 'The state of the page');
    if (!found) return null;
    keepStorage(origins, url, ...found);
    const state = { url, cookies: cookies.map(asParameter), before, clipboard };
    for (const all of [[...origins.values()], withoutDatabases(origins)]) {
      const text = serializeState({ ...state, origins: all });
      if (text.length <= MAX_SAFE_POINT_CHARS) return text;
    }
    context.log.warn(
      { limit: MAX_SAFE_POINT_CHARS },
      'The cookies, the storage and the clipboard are too large to be kept: the run cannot be taken over from here',
    );
  } catch (thrown) {
    context.log.debug({ error: String(thrown).slice(0, 300) }, 'The state of the page could not be read');
  }
  return null;
}

/**
 * Keeps what a page beside the others leaves behind: local storage of the site that it shows. The session storage of its window goes with it.
 * @param origins those of the first page, completed by this
 * @param all databases as well; else they stay as they were seen last
 */
export async function keepSiblingStorage(
  origins: StorageByOrigin,
  page: Page,
  wire: CDPSession,
  all: boolean,
  context: Context,
): Promise<void> {
  const url = page.url();
  const asked = all ? storedIn(page, wire, context) : Promise.all([readPageStorage(page, wire), null]);
  const [shown, read] = await raceDeadline(asked, context, 'The storage of the page');
  // Another page of the origin may have been looked at meanwhile.
  const databases = read ?? origins.get(URL.parse(url)?.origin ?? '')?.databases ?? null;
  const own = shown.map((state) => state && { ...state, session: origins.get(state.origin)?.session ?? [] });
  keepStorage(origins, url, own, databases);
}

const storedIn = (page: Page, wire: CDPSession, context: Context) =>
  Promise.all([readPageStorage(page, wire), readPageDatabases(page, wire, context).catch(() => null)]);

/** Puts what a page shows now in the place of what was known. @param databases of the origin of the page; null: not known */
function keepStorage(
  origins: StorageByOrigin,
  url: string,
  shown: readonly (OriginState | null)[],
  databases: OriginState['databases'] | null,
): void {
  const own = URL.parse(url)?.origin;
  for (const state of shown) {
    if (!state) continue;
    const kept = (state.origin === own ? databases : origins.get(state.origin)?.databases) ?? [];
    if (state.local.length + state.session.length + kept.length > 0)
      origins.set(state.origin, { ...state, ...(kept.length > 0 && { databases: kept }) });
    else origins.delete(state.origin);
  }
}

const withoutDatabases = (origins: StorageByOrigin): OriginState[] =>
  [...origins.values()].map(({ databases: _large, ...state }) => state);

/** The storage of the origins that a page shows, asked of the browser and not of the page; null for one that has none here. */
export const readPageStorage = (page: Page, wire: CDPSession): Promise<(OriginState | null)[]> =>
  Promise.all(originsOf(page).map((origin) => storageOf(wire, origin)));

/** The origin of the page, then those of its frames, each once. */
function originsOf(page: Page): string[] {
  const origins = page.frames().map((frame) => URL.parse(frame.url()));
  return [...new Set(origins.filter((url) => url?.protocol.startsWith('http')).map((url) => url?.origin ?? ''))];
}

/**
 * The storage of an origin, asked of the browser and not of the page. Null for an origin that has none here: a frame of another
 * site, whose storage belongs to this page only, or a sandboxed page.
 */
async function storageOf(wire: CDPSession, origin: string): Promise<OriginState | null> {
  const items = async (isLocalStorage: boolean) => {
    const storageId = { securityOrigin: origin, isLocalStorage };
    const { entries } = await wire.send('DOMStorage.getDOMStorageItems', { storageId });
    return entries as unknown as StorageEntries;
  };
  const [local, session] = await Promise.all([items(true), items(false)].map((read) => read.catch(() => null)));
  return local && session ? { origin, local, session } : null;
}

/** A cookie in the form in which it can be set again: one of the session has no end. */
function asParameter<Listed extends Cookie & { size: number; session: boolean; expires: number }>(listed: Listed) {
  const { size: _size, session, expires, ...cookie } = listed;
  return { ...cookie, ...(!session && { expires }) };
}

/**
 * Brings a new surface to a state. Nothing is sent before the guard has said yes; then the address of the page is opened, once, if it
 * had one.
 * @throws PilothouseError NAVIGATION_FAILED; PROTOCOL_INVALID for a state that Chromium does not take
 */
export async function restoreState(hand: ActionContext, wire: CDPSession, state: BrowserState): Promise<void> {
  const { url, cookies, origins } = state;
  try {
    await raceDeadline(wire.send('Network.setCookies', { cookies: [...cookies] }), hand, 'The cookies');
    if (origins.length > 0) await restoreOrigins(hand.page, origins, hand);
  } catch (thrown) {
    hand.signal.throwIfAborted();
    if (thrown instanceof PilothouseError) throw thrown;
    throw new PilothouseError(
      'PROTOCOL_INVALID',
      `Chromium does not take the saved state: ${playwrightMessage(thrown)}`,
    );
  }
  if (url !== BLANK_URL) await navigate(hand, { action: 'navigate', url });
  else if (origins.length > 0) await navigateToBlank(hand.page, hand);
  else return;
  /* The run never saw the empty pages: there is nothing to go back to. */
  await forgetHistory(wire, hand);
}
