import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { StorageState } from '@pilothouse/contract/project/profile.schema';
import type { BrowserOptions } from '@pilothouse/contract/workflow/browser-options.schema';
import type { EgressProxy, EgressProxyFactory } from '@pilothouse/core/ports/egress.port';
import { systemClock, type Clock } from '@pilothouse/core/ports/runtime.port';
import { wildcardRegExp } from '@pilothouse/core/regex/wildcard';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { playwrightMessage } from '../playwright-errors.ts';
import { RunClipboard } from '../clipboard/run-clipboard.ts';
import { SharedClipboard } from '../clipboard/shared-clipboard.ts';
import { restoreSessionStorage, toPlaywrightState, invalidProfile } from '../state/profile-state.ts';
import { TrackedPage } from '../pages/tracked-page.ts';
import { Mutex } from '../clipboard/clipboard-queue.ts';

/**
 * Chromium would report the error only when it opens a page, as if it could open none.
 * @throws PilothouseError ACTION_UNSUPPORTED
 */
function assertSupportedLocale({ locale, timezoneId }: BrowserOptions): void {
  try {
    new Intl.DateTimeFormat(locale, { timeZone: timezoneId });
  } catch (error) {
    throw invalidBrowserOptions(error);
  }
}

/**
 * Converts the options to those of Playwright.
 * @throws PilothouseError ACTION_UNSUPPORTED for an unknown device, locale or time zone
 */
export async function contextOptions(options: BrowserOptions): Promise<BrowserContextOptions> {
  const { viewport, device, userAgent, locale, timezoneId, geolocation, permissions = [], httpCredentials } = options;
  assertSupportedLocale(options);
  const { devices } = await import('playwright-core');
  const deviceOptions = device === undefined ? {} : devices[device];
  if (!deviceOptions) {
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `Unknown device "${device ?? ''}"; use a name such as Pixel 7, iPhone 15 or iPad Mini`,
    );
  }
  // Chromium has one clipboard for all runs, so pages use an override with the clipboard of their run.
  const requested = permissions.filter((permission) => !permission.startsWith('clipboard-'));
  const grantedPermissions = [...new Set([...requested, ...(geolocation ? ['geolocation'] : [])])];
  return {
    ...deviceOptions,
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
    ...(grantedPermissions.length > 0 && { permissions: grantedPermissions }),
    ...(httpCredentials && {
      httpCredentials: {
        username: httpCredentials.username,
        password: httpCredentials.password,
        origin: httpCredentials.origin,
      },
    }),
  };
}

/** Aborts requests to these URLs. */
export async function blockRequests(context: BrowserContext, patterns: readonly string[]): Promise<void> {
  for (const pattern of patterns)
    await context.route(wildcardRegExp(pattern), (route) => route.abort('blockedbyclient'));
}

/**
 * Converts an error of Chromium about an option, such as a time zone. The options may contain a secret; the message
 * does not.
 */
export function invalidBrowserOptions(error: unknown): PilothouseError {
  return new PilothouseError(
    'ACTION_UNSUPPORTED',
    `Chromium rejected the browser options: ${playwrightMessage(error)}`,
  );
}

/** Isolated browser context with one blank page. A surface takes it once. */
export interface PreparedContext {
  readonly context: BrowserContext;
  readonly tab: TrackedPage;
  readonly clipboard: RunClipboard;
  /** Egress proxy, closed until a run is bound to it; null without egress control. */
  readonly egressProxy: EgressProxy | null;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Time of a context and its surfaces. Default: the clock and timers of the machine. */
export interface ContextTime {
  readonly clock?: Clock | undefined;
  readonly timers?: Timers | undefined;
}

/** Options of a context that differ from the default. */
export interface ContextOptions {
  readonly options?: BrowserOptions | undefined;
  /** Initial cookies and storage. */
  readonly profile?: StorageState | undefined;
}

/** In CSS pixels. */
export const DEFAULT_VIEWPORT = { width: 1280, height: 800 } as const;

/**
 * Prepares a context in 100 to 200 ms; the host keeps a spare one.
 * @param egress opens the egress proxy
 * @param clipboard shared by all contexts of this browser
 * @throws PilothouseError ACTION_UNSUPPORTED for options, PROFILE_INVALID for a profile that Chromium rejects
 */
export async function prepareContext(
  browser: Browser,
  { options, profile }: ContextOptions = {},
  egress?: Pick<EgressProxyFactory, 'open'>,
  sharedClipboard = new SharedClipboard(browser, new Mutex()),
  { clock = systemClock, timers = systemTimers }: ContextTime = {},
): Promise<PreparedContext> {
  const extraOptions = options ? await contextOptions(options) : {};
  const egressProxy = (await egress?.open()) ?? null;
  const creation = browser.newContext({
    viewport: DEFAULT_VIEWPORT,
    acceptDownloads: true,
    ...extraOptions,
    ...(profile && { storageState: toPlaywrightState(profile) }),
    // Without `<-loopback>`, Chromium would bypass the proxy for addresses of this machine.
    ...(egressProxy && { proxy: { server: egressProxy.url, bypass: '<-loopback>' } }),
  });
  const context = await creation.catch(async (error: unknown) => {
    await egressProxy?.close();
    if (profile && browser.isConnected()) throw invalidProfile(error);
    throw options ? invalidBrowserOptions(error) : error;
  });
  if (egressProxy) context.once('close', () => void egressProxy.close());
  try {
    const clipboard = new RunClipboard(sharedClipboard);
    await clipboard.connect(context, options?.permissions?.includes('clipboard-read') ?? false);
    await blockRequests(context, options?.blockUrls ?? []);
    const page = await context.newPage();
    if (profile) await restoreSessionStorage(page, profile, timers);
    const tab = new TrackedPage(page, timers);
    await tab.listen();
    return { context, tab, clipboard, egressProxy, clock, timers };
  } catch (error) {
    await context.close().catch(() => undefined);
    throw error;
  }
}
