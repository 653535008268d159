import type { Browser, BrowserContext } from 'playwright-core';
import { Tab } from './browser.tab.ts';

/** An empty isolated browser context with one blank page: what a surface is made of. Used once. */
export interface Room {
  readonly context: BrowserContext;
  readonly tab: Tab;
}

/** Size of a page, in CSS pixels. */
export const VIEWPORT = { width: 1280, height: 800 } as const;

/** Makes a room. Takes some 100 to 200 ms, so that the host keeps one ready. */
export async function makeRoom(browser: Browser): Promise<Room> {
  const context = await browser.newContext({ viewport: VIEWPORT, acceptDownloads: true });
  try {
    const tab = new Tab(await context.newPage());
    await tab.listen();
    return { context, tab };
  } catch (thrown) {
    await context.close().catch(() => undefined);
    throw thrown;
  }
}
