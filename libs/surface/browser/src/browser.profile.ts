import { fieldProblems, PilothouseError, storageStateSchema, type StorageState } from '@pilothouse/contract';
import type { BrowserContext } from 'playwright-core';
import { firstLine } from './browser.locate.ts';
import type { OriginState } from './browser.state.ts';
import { bounded, type Bound } from './wait.ts';

/**
 * Cookies and local storage of all sites that were opened. Storage of one that no page shows is read on an empty page of it, which
 * Playwright opens beside the others and shows nobody; nothing is sent.
 * @throws PilothouseError PROFILE_INVALID naming the field, never what stands in it
 */
export async function readProfile(context: BrowserContext, bound: Bound): Promise<StorageState> {
  const state = storageStateSchema.safeParse(
    await bounded(context.storageState(), bound, 'The cookies and the local storage'),
  );
  if (state.success) return state.data;
  const [first] = fieldProblems(state.error);
  throw new PilothouseError(
    'PROFILE_INVALID',
    `What the browser has cannot be kept: ${first?.pointer ?? '/'}: ${first?.detail ?? ''}`,
  );
}

/** The local storage of a profile as safe points hold it. */
export const originsOf = (profile: StorageState | undefined): OriginState[] =>
  (profile?.origins ?? []).map(({ origin, localStorage }) => ({
    origin,
    local: localStorage.map(({ name, value }) => [name, value] as const),
    session: [],
  }));

/** Chromium says what it does not take in words of its own, which hold no value; Playwright puts a line before them. */
export function refusedProfile(thrown: unknown): PilothouseError {
  const [first = '', second = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n');
  return new PilothouseError(
    'PROFILE_INVALID',
    `Chromium does not take the cookies and the local storage: ${firstLine(second || first)}`,
  );
}
