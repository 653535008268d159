import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { storageStateSchema, type StorageState } from '@pilothouse/contract/project/profile.schema';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import { newDeadline, raceDeadline, type Deadline } from '@pilothouse/core/time/deadlines';
import type { Timers } from '@pilothouse/core/time/timers';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { restoreOrigins, forgetHistory, navigateToBlank } from './state-writer.ts';
import { playwrightMessage } from '../playwright-errors.ts';
import type { StorageEntries, OriginState } from './state-format.ts';

/** Timeout for restoring session storage. */
const RESTORE_TIMEOUT_MS = 10_000;

/**
 * Reads cookies, local storage and IndexedDB of all visited sites, and the session storage of the window. For sites
 * without a page, Playwright opens hidden blank pages; no request is sent.
 * @param sessions session storage by origin
 * @throws PilothouseError PROFILE_INVALID with the field name, never its content
 */
export async function readProfile(
  context: BrowserContext,
  sessions: ReadonlyMap<string, StorageEntries>,
  deadline: Deadline & Pick<Context, 'log'>,
): Promise<StorageState> {
  const storedState = await raceDeadline(context.storageState({ indexedDB: true }), deadline, 'The storage').catch(
    async (error: unknown) => {
      if (!/IndexedDB/.test(String(error))) throw error;
      deadline.log.warn(
        { error: playwrightMessage(error) },
        'IndexedDB of a site not readable, left out of the profile',
      );
      return raceDeadline(context.storageState(), deadline, 'The storage');
    },
  );
  const state = storageStateSchema.safeParse({ ...storedState, origins: withSessions(storedState.origins, sessions) });
  if (state.success) return state.data;
  const [first] = fieldErrors(state.error);
  throw new PilothouseError(
    'PROFILE_INVALID',
    `The browser state cannot be saved as a profile: ${first?.pointer ?? '/'}: ${first?.detail ?? ''}`,
  );
}

/** Storage of an origin as Playwright returns it. Its types are incomplete. */
type PlaywrightOrigin = Pick<StorageState['origins'][number], 'origin' | 'localStorage' | 'indexedDB'>;

function withSessions(storedState: readonly PlaywrightOrigin[], sessions: ReadonlyMap<string, StorageEntries>) {
  const origins = new Map(storedState.map((origin) => [origin.origin, origin]));
  for (const origin of sessions.keys()) if (!origins.has(origin)) origins.set(origin, { origin, localStorage: [] });
  return [...origins.values()].map(({ indexedDB, ...originState }) => {
    const session = sessions.get(originState.origin) ?? [];
    return {
      ...originState,
      ...(indexedDB && indexedDB.length > 0 && { indexedDB }),
      ...(session.length > 0 && { sessionStorage: session.map(([name, value]) => ({ name, value })) }),
    };
  });
}

const toEntries = (items: readonly { readonly name: string; readonly value: string }[] = []): StorageEntries =>
  items.map(({ name, value }) => [name, value] as const);

/** Converts local and session storage of a profile to the format of safe points. */
export const profileOrigins = (profile: StorageState | undefined): OriginState[] =>
  (profile?.origins ?? []).map(({ origin, localStorage, sessionStorage }) => ({
    origin,
    local: toEntries(localStorage),
    session: toEntries(sessionStorage),
  }));

/** Removes what Playwright does not support from a profile. */
export const toPlaywrightState = ({ cookies, origins }: StorageState) =>
  ({
    cookies,
    origins: origins.map(({ sessionStorage: _sessionStorage, ...origin }) => origin),
  }) as Exclude<BrowserContextOptions['storageState'], string | undefined>;

/**
 * Restores the session storage of a profile, which belongs to the window.
 * @param page a new page, blank again afterwards
 */
export async function restoreSessionStorage(page: Page, profile: StorageState, timers: Timers): Promise<void> {
  const sessions = profileOrigins(profile).filter(({ session }) => session.length > 0);
  if (sessions.length === 0) return;
  const deadline = newDeadline({ signal: new AbortController().signal, timers }, RESTORE_TIMEOUT_MS);
  // Local storage was restored already.
  await restoreOrigins(
    page,
    sessions.map((session) => ({ ...session, local: [] })),
    deadline,
  );
  await navigateToBlank(page, deadline);
  const cdp = await page.context().newCDPSession(page);
  await forgetHistory(cdp, deadline);
  await cdp.detach();
}

/**
 * Converts an error of Chromium about a profile. Its message contains no values; Playwright adds a line before it.
 */
export function invalidProfile(error: unknown): PilothouseError {
  const [first = '', second = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return new PilothouseError(
    'PROFILE_INVALID',
    `Chromium rejected the cookies and the storage: ${playwrightMessage(second || first)}`,
  );
}
