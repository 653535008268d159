import { type BrowserOptions, PilothouseError, type StorageState } from '@pilothouse/contract';
import { type EgressProxy, type EgressProxyFactory, wildcardRegExp } from '@pilothouse/core';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { playwrightMessage } from '../playwright-errors.ts';
import { RunClipboard } from '../clipboard/run-clipboard.ts';
import { SharedClipboard } from '../clipboard/shared-clipboard.ts';
import { restoreSessionStorage, toPlaywrightState, invalidProfile } from '../state/profile-state.ts';
import { TrackedPage } from '../pages/tracked-page.ts';
import { Mutex } from '../clipboard/clipboard-queue.ts';

/** Chromium would say it only when a page is made in it, as if it could make none. @throws PilothouseError ACTION_UNSUPPORTED */
function mustBeKnown({ locale, timezoneId }: BrowserOptions): void {
  try {
    new Intl.DateTimeFormat(locale, { timeZone: timezoneId });
  } catch (thrown) {
    throw invalidBrowserOptions(thrown);
  }
}

/** The options as Playwright takes them. @throws PilothouseError ACTION_UNSUPPORTED for a device, locale or time zone that nobody knows */
export async function contextOptions(options: BrowserOptions): Promise<BrowserContextOptions> {
  const { viewport, device, userAgent, locale, timezoneId, geolocation, permissions = [], httpCredentials } = options;
  mustBeKnown(options);
  const { devices } = await import('playwright-core');
  const known = device === undefined ? {} : devices[device];
  if (!known) {
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `There is no device "${device ?? ''}"; devices are called as in Pixel 7, iPhone 15, iPad Mini`,
    );
  }
  /* Chromium has one clipboard for all runs: that of the run is given to its pages in another way. */
  const given = permissions.filter((permission) => !permission.startsWith('clipboard-'));
  const allowed = [...new Set([...given, ...(geolocation ? ['geolocation'] : [])])];
  return {
    ...known,
    ...(viewport && { viewport }),
    ...(userAgent !== undefined && { userAgent }),
    ...(locale !== undefined && { locale }),
    ...(timezoneId !== undefined && { timezoneId }),
    ...(geolocation && {
      geolocation: {
        latitude: geolocation.latitude,
        longitude: geolocation.longitude,
        accuracy: geolocation.accuracy ?? 0,
      },
    }),
    ...(allowed.length > 0 && { permissions: allowed }),
    ...(httpCredentials && {
      httpCredentials: {
        username: httpCredentials.username,
        password: httpCredentials.password,
        origin: httpCredentials.origin,
      },
    }),
  };
}

/** Sends no request of these URLs: the page sees that it failed. */
export async function blockRequests(context: BrowserContext, patterns: readonly string[]): Promise<void> {
  for (const pattern of patterns)
    await context.route(wildcardRegExp(pattern), (route) => route.abort('blockedbyclient'));
}

/** Chromium says only in its own words what it does not take, such as a time zone; the options may hold a secret, its words do not. */
export function invalidBrowserOptions(thrown: unknown): PilothouseError {
  return new PilothouseError(
    'ACTION_UNSUPPORTED',
    `Chromium does not take these browser options: ${playwrightMessage(thrown)}`,
  );
}

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
    await blockRequests(context, options?.blockUrls ?? []);
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
