import type { ObserveOptions } from '@pilothouse/core';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../process/launch.ts';
import { testContext } from './kit.ts';
import { BrowserObserver } from '../elements/list.ts';
import type { ObservedPage } from '../elements/seen.ts';

/*
 * What the specs of the list stand on: a real Chromium, and pages from 127.0.0.1 and localhost, which are two sites, and from two ports of
 * the first, which are two origins of one site. Specs only.
 */

export interface ElementKit {
  readonly page: Page;
  /** Serves a page under a path. */
  serve(path: string, html: string): void;
  /** Opens this as the body of a page; the page keeps a log of clicks in `hits`, by `data-id` or id. */
  show(body: string): Promise<void>;
  /** Address of a path, at another site than the page with `other`. */
  url(path: string, other?: boolean): string;
  /** Address of a path at another origin of the page's site: its frames are in the process of the page. */
  nextDoor(path: string): string;
  look(options?: ObserveOptions): Promise<ObservedPage>;
  close(): Promise<void>;
}

/** The entry with this name, or hint. */
export function named(seen: ObservedPage, name: string) {
  const found = seen.elements.filter((one) => one.name === name || one.hint === name);
  const [one] = found;
  if (!one || found.length > 1) throw new Error(`${found.length} entries are called ${name}:\n${seen.text()}`);
  return one;
}

export async function startElementKit(): Promise<ElementKit> {
  const pages = new Map<string, string>();
  const answer: RequestListener = (request, response) => {
    const html = pages.get((request.url ?? '/').split('?')[0] ?? '/');
    response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(html ?? '');
  };
  const [server, second] = [createServer(answer), createServer(answer)];
  const [port, secondPort] = await Promise.all([listening(server), listening(second)]);
  const browser: Browser = await launchChromium({}, testContext(60_000));
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 } });
  const page = await context.newPage();
  let count = 0;
  const kit: ElementKit = {
    page,
    serve: (path, html) => void pages.set(path, html),
    url: (path, other = false) => `http://${other ? 'localhost' : '127.0.0.1'}:${port}${path}`,
    nextDoor: (path) => `http://127.0.0.1:${secondPort}${path}`,
    show: async (body) => {
      count += 1;
      pages.set(
        `/show-${count}`,
        `<!doctype html><html lang="en"><title>Page ${count}</title><body>${body}</body></html>`,
      );
      await page.goto(kit.url(`/show-${count}`));
    },
    look: (options = {}) => BrowserObserver.of(page).observe(options, testContext(5000)),
    close: async () => {
      await browser.close();
      await Promise.all([closed(server), closed(second)]);
    },
  };
  return kit;
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return (server.address() as AddressInfo).port;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
