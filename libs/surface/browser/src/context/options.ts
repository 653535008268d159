import { PilothouseError, type BrowserOptions } from '@pilothouse/contract';
import { wildcardRegExp } from '@pilothouse/core';
import type { BrowserContext, BrowserContextOptions } from 'playwright-core';
import { playwrightMessage } from '../failure.ts';

/** Chromium would say it only when a page is made in it, as if it could make none. @throws PilothouseError ACTION_UNSUPPORTED */
function mustBeKnown({ locale, timezone }: BrowserOptions): void {
  try {
    new Intl.DateTimeFormat(locale, { timeZone: timezone });
  } catch (thrown) {
    throw invalidBrowserOptions(thrown);
  }
}

/** The options as Playwright takes them. @throws PilothouseError ACTION_UNSUPPORTED for a device, locale or time zone that nobody knows */
export async function contextOptions(options: BrowserOptions): Promise<BrowserContextOptions> {
  const { viewport, device, userAgent, locale, timezone, geolocation, permissions = [], auth } = options;
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
    ...(timezone !== undefined && { timezoneId: timezone }),
    ...(geolocation && {
      geolocation: {
        latitude: geolocation.latitude,
        longitude: geolocation.longitude,
        accuracy: geolocation.accuracy ?? 0,
      },
    }),
    ...(allowed.length > 0 && { permissions: allowed }),
    ...(auth && { httpCredentials: { username: auth.username, password: auth.password, origin: auth.origin } }),
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
