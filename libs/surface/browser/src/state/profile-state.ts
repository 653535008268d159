import { fieldErrors, PilothouseError, storageStateSchema, type StorageState } from '@pilothouse/contract';
import { type Context, raceDeadline, type Deadline } from '@pilothouse/core';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { restoreOrigins, forgetHistory, navigateToBlank } from './state-writer.ts';
import { playwrightMessage } from '../playwright-errors.ts';
import type { StorageEntries, OriginState } from './state-format.ts';

/** Milliseconds for filling in session storage. */
const FILLING = 10_000;

/**
 * Cookies, local storage and IndexedDB of all sites that were opened, and the session storage of the window. Storage of a site that no page
 * shows is read on an empty page of it, which Playwright opens beside the others and shows nobody; nothing is sent.
 * @param sessions session storage by origin
 * @throws PilothouseError PROFILE_INVALID naming the field, never what stands in it
 */
export async function readProfile(
  context: BrowserContext,
  sessions: ReadonlyMap<string, StorageEntries>,
  bound: Deadline & Pick<Context, 'log'>,
): Promise<StorageState> {
  const stored = await raceDeadline(context.storageState({ indexedDB: true }), bound, 'The storage').catch(
    async (thrown: unknown) => {
      if (!/IndexedDB/.test(String(thrown))) throw thrown;
      bound.log.warn(
        { error: playwrightMessage(thrown) },
        'The databases of a site cannot be read, and are not in the profile',
      );
      return raceDeadline(context.storageState(), bound, 'The storage');
    },
  );
  const state = storageStateSchema.safeParse({ ...stored, origins: withSessions(stored.origins, sessions) });
  if (state.success) return state.data;
  const [first] = fieldErrors(state.error);
  throw new PilothouseError(
    'PROFILE_INVALID',
    `What the browser has cannot be kept: ${first?.pointer ?? '/'}: ${first?.detail ?? ''}`,
  );
}

/** What Playwright tells of an origin: more than its types say. */
type Stored = Pick<StorageState['origins'][number], 'origin' | 'localStorage' | 'indexedDB'>;

function withSessions(stored: readonly Stored[], sessions: ReadonlyMap<string, StorageEntries>) {
  const origins = new Map(stored.map((one) => [one.origin, one]));
  for (const origin of sessions.keys()) if (!origins.has(origin)) origins.set(origin, { origin, localStorage: [] });
  return [...origins.values()].map(({ indexedDB, ...one }) => {
    const session = sessions.get(one.origin) ?? [];
    return {
      ...one,
      ...(indexedDB && indexedDB.length > 0 && { indexedDB }),
      ...(session.length > 0 && { sessionStorage: session.map(([name, value]) => ({ name, value })) }),
    };
  });
}

const asEntries = (items: readonly { readonly name: string; readonly value: string }[] = []): StorageEntries =>
  items.map(({ name, value }) => [name, value] as const);

/** The local and the session storage of a profile as safe points hold it. */
export const profileOrigins = (profile: StorageState | undefined): OriginState[] =>
  (profile?.origins ?? []).map(({ origin, localStorage, sessionStorage }) => ({
    origin,
    local: asEntries(localStorage),
    session: asEntries(sessionStorage),
  }));

/** A profile without what Playwright does not know. */
export const toPlaywrightState = ({ cookies, origins }: StorageState) =>
  ({
    cookies,
    origins: origins.map(({ sessionStorage: _own, ...origin }) => origin),
  }) as Exclude<BrowserContextOptions['storageState'], string | undefined>;

/** Fills in the session storage of a profile, which belongs to the window. @param page new; it is blank again afterwards */
export async function restoreSessionStorage(page: Page, profile: StorageState): Promise<void> {
  const sessions = profileOrigins(profile).filter(({ session }) => session.length > 0);
  if (sessions.length === 0) return;
  const bound = { signal: new AbortController().signal, deadline: performance.now() + FILLING };
  // Local storage is there already.
  await restoreOrigins(
    page,
    sessions.map((one) => ({ ...one, local: [] })),
    bound,
  );
  await navigateToBlank(page, bound);
  const wire = await page.context().newCDPSession(page);
  await forgetHistory(wire, bound);
  await wire.detach();
}

/** Chromium says what it does not take in words of its own, which hold no value; Playwright puts a line before them. */
export function invalidProfile(thrown: unknown): PilothouseError {
  const [first = '', second = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n');
  return new PilothouseError(
    'PROFILE_INVALID',
    `Chromium does not take the cookies and the storage: ${playwrightMessage(second || first)}`,
  );
}
