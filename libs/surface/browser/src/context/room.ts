import type { BrowserOptions, StorageState } from '@pilothouse/contract';
import type { EgressProxyFactory, EgressProxy } from '@pilothouse/core';
import type { Browser, BrowserContext } from 'playwright-core';
import { RunClipboard } from '../clipboard/clipboard.ts';
import { blockRequests, contextOptions, invalidBrowserOptions } from './options.ts';
import { SharedClipboard } from '../clipboard/pasteboard.ts';
import { restoreSessionStorage, toPlaywrightState, invalidProfile } from '../state/profile.ts';
import { TrackedPage } from '../tabs/tab.ts';
import { Mutex } from '../turn.ts';

/** An empty isolated browser context with one blank page: what a surface is made of. Used once. */
export interface PreparedContext {
  readonly context: BrowserContext;
  readonly tab: TrackedPage;
  readonly clipboard: RunClipboard;
  /** Its way out, shut until a run is bound to it; null where there is none between the browser and the network. */
  readonly gate: EgressProxy | null;
}

/** How a room is to be other than they usually are. */
export interface ContextOptions {
  readonly options?: BrowserOptions | undefined;
  /** What it begins with. */
  readonly profile?: StorageState | undefined;
}

/** Size of a page, in CSS pixels. */
export const DEFAULT_VIEWPORT = { width: 1280, height: 800 } as const;

/**
 * Makes a room. Takes some 100 to 200 ms, so that the host keeps one ready.
 * @param egress where its gate is opened
 * @param pasteboard what all rooms of this browser copy to and paste from
 * @throws PilothouseError ACTION_UNSUPPORTED for options, PROFILE_INVALID for a profile that Chromium does not take
 */
export async function prepareContext(
  browser: Browser,
  { options, profile }: ContextOptions = {},
  egress?: Pick<EgressProxyFactory, 'open'>,
  pasteboard = new SharedClipboard(browser, new Mutex()),
): Promise<PreparedContext> {
  const own = options ? await contextOptions(options) : {};
  const gate = (await egress?.open()) ?? null;
  const making = browser.newContext({
    viewport: DEFAULT_VIEWPORT,
    acceptDownloads: true,
    ...own,
    ...(profile && { storageState: toPlaywrightState(profile) }),
    // Without the second Chromium would go to addresses of this machine by itself.
    ...(gate && { proxy: { server: gate.url, bypass: '<-loopback>' } }),
  });
  const context = await making.catch(async (thrown: unknown) => {
    await gate?.close();
    if (profile && browser.isConnected()) throw invalidProfile(thrown);
    throw options ? invalidBrowserOptions(thrown) : thrown;
  });
  if (gate) context.once('close', () => void gate.close());
  try {
    const clipboard = new RunClipboard(pasteboard);
    await clipboard.route(context, options?.permissions?.includes('clipboard-read') ?? false);
    await blockRequests(context, options?.block ?? []);
    const page = await context.newPage();
    if (profile) await restoreSessionStorage(page, profile);
    const tab = new TrackedPage(page);
    await tab.listen();
    return { context, tab, clipboard, gate };
  } catch (thrown) {
    await context.close().catch(() => undefined);
    throw thrown;
  }
}
