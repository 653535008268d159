import type { BrowserOptions, StorageState } from '@pilothouse/contract';
import type { Egress, Gate } from '@pilothouse/core';
import type { Browser, BrowserContext } from 'playwright-core';
import { Clipboard } from '../clipboard/clipboard.ts';
import { block, contextOptions, refused } from './options.ts';
import { Pasteboard } from '../clipboard/pasteboard.ts';
import { fillSessions, ofPlaywright, refusedProfile } from '../state/profile.ts';
import { Tab } from '../tabs/tab.ts';
import { Turn } from '../turn.ts';

/** An empty isolated browser context with one blank page: what a surface is made of. Used once. */
export interface Room {
  readonly context: BrowserContext;
  readonly tab: Tab;
  readonly clipboard: Clipboard;
  /** Its way out, shut until a run is bound to it; null where there is none between the browser and the network. */
  readonly gate: Gate | null;
}

/** How a room is to be other than they usually are. */
export interface Wishes {
  readonly options?: BrowserOptions | undefined;
  /** What it begins with. */
  readonly profile?: StorageState | undefined;
}

/** Size of a page, in CSS pixels. */
export const VIEWPORT = { width: 1280, height: 800 } as const;

/**
 * Makes a room. Takes some 100 to 200 ms, so that the host keeps one ready.
 * @param egress where its gate is opened
 * @param pasteboard what all rooms of this browser copy to and paste from
 * @throws PilothouseError ACTION_UNSUPPORTED for options, PROFILE_INVALID for a profile that Chromium does not take
 */
export async function makeRoom(
  browser: Browser,
  { options, profile }: Wishes = {},
  egress?: Pick<Egress, 'open'>,
  pasteboard = new Pasteboard(browser, new Turn()),
): Promise<Room> {
  const own = options ? await contextOptions(options) : {};
  const gate = (await egress?.open()) ?? null;
  const making = browser.newContext({
    viewport: VIEWPORT,
    acceptDownloads: true,
    ...own,
    ...(profile && { storageState: ofPlaywright(profile) }),
    // Without the second Chromium would go to addresses of this machine by itself.
    ...(gate && { proxy: { server: gate.url, bypass: '<-loopback>' } }),
  });
  const context = await making.catch(async (thrown: unknown) => {
    await gate?.close();
    if (profile && browser.isConnected()) throw refusedProfile(thrown);
    throw options ? refused(thrown) : thrown;
  });
  if (gate) context.once('close', () => void gate.close());
  try {
    const clipboard = new Clipboard(pasteboard);
    await clipboard.route(context, options?.permissions?.includes('clipboard-read') ?? false);
    await block(context, options?.block ?? []);
    const page = await context.newPage();
    if (profile) await fillSessions(page, profile);
    const tab = new Tab(page);
    await tab.listen();
    return { context, tab, clipboard, gate };
  } catch (thrown) {
    await context.close().catch(() => undefined);
    throw thrown;
  }
}
