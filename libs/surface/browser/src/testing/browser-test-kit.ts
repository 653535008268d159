import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { ActionOutcome, ActionServices } from '@pilothouse/core/ports/surface-action.port';
import type { ObserveOptions, OpenOptions } from '@pilothouse/core/ports/surface.port';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { BrowserHost } from '../browser.host.ts';
import type { BrowserSurface } from '../browser.surface.ts';
import type { Browser, Page } from 'playwright-core';
import { launchChromium, type LaunchOptions } from '../process/launch-browser.ts';
import { BrowserObserver } from '../browser.observation.ts';
import type { ObservedPage } from '../observation/observed-page.ts';

// Kit for the specs of this package: a real Chromium, and a server on 127.0.0.1 whose pages each spec defines.
// Imported by specs only.

export type PageReply = string | ((request: IncomingMessage, response: ServerResponse) => void);

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A context with a deadline in `ms`. */
export const testContext = (ms: number, overrides: Partial<ActionServices> = {}): ActionServices => ({
  signal: new AbortController().signal,
  deadline: performance.now() + ms,
  log,
  guard: () => {},
  reveal: async (text) => text,
  file: async (name) => name,
  ...overrides,
});

export interface SurfaceKit {
  readonly host: BrowserHost;
  readonly origin: string;
  /** A scratch folder. */
  readonly folder: string;
  /** Serves a page. Text without a leading tag is served as HTML as well. @returns its URL */
  serve(path: string, reply: PageReply): string;
  /** Serves the files of a folder under a path that ends with a slash. */
  serveFolder(path: string, folder: string): void;
  /** Opens a page with this body on a new surface. */
  showPage(body: string): Promise<BrowserSurface>;
  open(options?: Partial<OpenOptions>): Promise<BrowserSurface>;
  /** Performs one action within ten seconds. */
  act(surface: BrowserSurface, action: Action, context?: ActionServices): Promise<ActionOutcome>;
  /** Reads the title of the page, which specs use to report state. */
  title(surface: BrowserSurface, context?: Context): Promise<string>;
  close(): Promise<void>;
}

const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };

/** Serves a file of a folder. */
function fileOf(folders: ReadonlyMap<string, string>, path: string): PageReply | undefined {
  const [mountPath, folder] = [...folders].find(([prefix]) => path.startsWith(prefix)) ?? [];
  if (mountPath === undefined || folder === undefined) return undefined;
  return (_, response) => {
    const stream = createReadStream(join(folder, path.slice(mountPath.length)));
    stream.once('error', () => response.writeHead(404).end());
    stream.once('open', () => {
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' });
      stream.pipe(response);
    });
  };
}

/**
 * Starts Chromium and the server.
 * @param launchOptions options of Chromium; `{}` starts the default Chromium (default: the headless shell)
 */
export async function startKit(launchOptions: LaunchOptions = headlessShellOptions()): Promise<SurfaceKit> {
  const replies = new Map<string, PageReply>();
  const folders = new Map<string, string>();
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const reply = replies.get(path) ?? fileOf(folders, path);
    if (typeof reply === 'function') return reply(request, response);
    response.writeHead(reply === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(reply ?? '<title>Nothing here</title><h1>Not found</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), 'surface-'));
  const host = new BrowserHost(launchOptions);
  /** Surfaces with the name of the test that opened each one. */
  const surfaces = new Map<BrowserSurface, string>();
  /** Open pages slow Chromium down, so the first `open` of another test closes them. */
  const closeSurfacesOfOtherTests = async (currentTest: string) => {
    const others = [...surfaces].filter(([, testName]) => testName !== currentTest).map(([surface]) => surface);
    for (const surface of others) surfaces.delete(surface);
    await Promise.allSettled(others.map((surface) => surface.close()));
  };
  await host.warm(testContext(60_000));
  let pages = 0;
  const kit: SurfaceKit = {
    host,
    origin,
    folder,
    serve: (path, reply) => {
      replies.set(path, reply);
      return origin + path;
    },
    serveFolder: (path, folder) => void folders.set(path, folder),
    open: async (options) => {
      // A `beforeAll` must not share a page with tests that open another one: it has the name of the test before it.
      const testName = expect.getState().currentTestName ?? '';
      await closeSurfacesOfOtherTests(testName);
      const surface = await host.open({ folder, ...options }, testContext(30_000));
      surfaces.set(surface, testName);
      return surface;
    },
    showPage: async (body) => {
      pages += 1;
      const url = kit.serve(
        `/page-${pages}`,
        `<!doctype html><html lang="en"><title>Page ${pages}</title><body>${body}</body></html>`,
      );
      const surface = await kit.open();
      await kit.act(surface, { action: 'navigate', url });
      return surface;
    },
    act: (surface, action, context = testContext(10_000)) => surface.act(action, context),
    title: async (surface, context = testContext(10_000)) => (await surface.anchors(context)).title,
    close: async () => {
      await host.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
  return kit;
}

/** Returns the error of an action that must fail. */
export async function expectFailure(
  promise: Promise<unknown>,
): Promise<{ code: string; message: string; details?: Record<string, unknown> }> {
  try {
    await promise;
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('It did not fail');
}

/** Reads the text of `<output id=out>` by an extract step. */
export const output = async (kit: SurfaceKit, surface: BrowserSurface): Promise<Json | undefined> =>
  (await kit.act(surface, { action: 'extract', target: { css: '#out' }, value: {} })).value;

// Kit for specs of the element list: a real Chromium and test pages. 127.0.0.1 and localhost are two sites. Two ports
// of the first are two origins of one site. Imported by specs only.

export interface ElementKit {
  readonly page: Page;
  /** Serves a page at a path. */
  serve(path: string, html: string): void;
  /** Opens a page with this body. It logs clicks in `hits` by `data-id` or id. */
  showPage(body: string): Promise<void>;
  /** Returns the URL of a path, at another site with `other`. */
  url(path: string, isSecondHost?: boolean): string;
  /** Returns the URL of a path at another origin of the same site. Its frames share the process of the page. */
  otherOriginUrl(path: string): string;
  observe(options?: ObserveOptions): Promise<ObservedPage>;
  close(): Promise<void>;
}

/** Returns the element with this name or fallback name. */
export function elementNamed(observed: ObservedPage, name: string) {
  const matches = observed.elements.filter((element) => element.name === name || element.fallbackName === name);
  const [element] = matches;
  if (!element || matches.length > 1)
    throw new Error(`${matches.length} entries are called ${name}:\n${observed.text()}`);
  return element;
}

export async function startElementKit(): Promise<ElementKit> {
  const pages = new Map<string, string>();
  const answer: RequestListener = (request, response) => {
    const html = pages.get((request.url ?? '/').split('?')[0] ?? '/');
    response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(html ?? '');
  };
  const [server, second] = [createServer(answer), createServer(answer)];
  const [port, secondPort] = await Promise.all([listen(server), listen(second)]);
  const browser: Browser = await launchChromium(headlessShellOptions(), testContext(60_000));
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 } });
  const page = await context.newPage();
  let count = 0;
  const kit: ElementKit = {
    page,
    serve: (path, html) => void pages.set(path, html),
    url: (path, isSecondHost = false) => `http://${isSecondHost ? 'localhost' : '127.0.0.1'}:${port}${path}`,
    otherOriginUrl: (path) => `http://127.0.0.1:${secondPort}${path}`,
    showPage: async (body) => {
      count += 1;
      pages.set(
        `/show-${count}`,
        `<!doctype html><html lang="en"><title>Page ${count}</title><body>${body}</body></html>`,
      );
      await page.goto(kit.url(`/show-${count}`));
    },
    observe: (options = {}) => BrowserObserver.forPage(page).observe(options, testContext(5000)),
    close: async () => {
      await browser.close();
      await Promise.all([closeServer(server), closeServer(second)]);
    },
  };
  return kit;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return (server.address() as AddressInfo).port;
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
