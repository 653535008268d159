import axe from 'axe-core';
import { chromium, type Browser, type BrowserContext, type BrowserServer, type Page } from 'playwright-core';
import { viewerBrowserPath } from './servers.fixture.ts';

/** Viewports of the accessibility and layout checks. */
export const viewports = {
  wide: { width: 1440, height: 900 },
  narrow: { width: 390, height: 844 },
} as const;

/** Default timeout of actions on a page; long enough for a busy machine. */
const ACTION_TIMEOUT_MS = 60_000;

const WCAG_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Rules of axe whose result depends on colors. The other rules give the same result in both color schemes. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** The session of a signed-in user: cookies and storage. */
export type StoredSession = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Makes `goto` and `reload` wait until React has hydrated the page and its first effects have run. Earlier input would be lost. */
function waitForHydration(page: Page): Page {
  const isHydrated = () =>
    page.waitForFunction(
      () =>
        (!document.querySelector('link[rel=modulepreload]') ||
          Object.keys(document.body as object).some((key) => key.startsWith('__reactFiber'))) &&
        new Promise((resolve) => requestIdleCallback(() => resolve(true), { timeout: 5_000 })),
    );
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
  page.goto = async (...args) => {
    const response = await goto(...args);
    await isHydrated();
    return response;
  };
  page.reload = async (...args) => {
    const response = await reload(...args);
    await isHydrated();
    return response;
  };
  return page;
}

const launchOptions = () => ({ executablePath: viewerBrowserPath(), args: ['--no-sandbox'] });

/** Starts the Chromium of the tests. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch(launchOptions());
}

/** Starts a Chromium to which other processes connect. */
export function launchBrowserServer(): Promise<BrowserServer> {
  return chromium.launchServer(launchOptions());
}

/** Connects to a Chromium of `launchBrowserServer`. `close` closes the contexts of this connection only. */
export function connectToBrowser(endpoint: string): Promise<Browser> {
  return chromium.connect(endpoint);
}

export interface ViewerOptions {
  /** Emulates a narrow touch screen. */
  readonly isPhone?: boolean;
  /** A session of an earlier viewer. */
  readonly session?: StoredSession | undefined;
}

/** A user of the console in a separate browser context. Errors that a page logs are collected. */
export class Viewer {
  readonly page: Page;
  /** Uncaught errors and console errors of the page. */
  readonly pageErrors: string[] = [];
  readonly #context: BrowserContext;

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
    page.on('pageerror', (error) => this.pageErrors.push(String(error)));
    page.on('console', (message) => {
      // Specs request error responses on purpose.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        this.pageErrors.push(message.text());
      }
    });
  }

  /** @param baseURL of the console */
  static async open(browser: Browser, baseURL: string, { isPhone, session }: ViewerOptions = {}): Promise<Viewer> {
    const context = await browser.newContext({
      ...{ baseURL, colorScheme: 'light' as const },
      ...(isPhone ? { viewport: viewports.narrow, hasTouch: true, isMobile: true } : { viewport: viewports.wide }),
      ...(session && { storageState: session }),
    });
    context.setDefaultTimeout(ACTION_TIMEOUT_MS);
    return new Viewer(context, waitForHydration(await context.newPage()));
  }

  /** Opens the home page. @returns false when the session is not valid (any more) */
  async openHome(): Promise<boolean> {
    await this.page.goto('/');
    if (new URL(this.page.url()).pathname !== '/') return false;
    await this.#home();
    return true;
  }

  /** Signs in with email and password. */
  async signIn({ email, password }: { email: string; password: string }): Promise<void> {
    await this.page.goto('/sign-in');
    await this.page.getByLabel('Email').fill(email);
    await this.page.getByLabel('Password').fill(password);
    await this.#submit();
  }

  /** Signs in with an API key. */
  async signInWithKey(key: string): Promise<void> {
    await this.page.goto('/sign-in?with=key');
    await this.page.getByLabel('API key').fill(key);
    await this.#submit();
  }

  async #submit(): Promise<void> {
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.#home();
  }

  #home(): Promise<void> {
    return this.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  }

  /** Returns the session, for the viewers of later tests. */
  session(): Promise<StoredSession> {
    return this.#context.storageState();
  }

  /** Confirms the dialog that an action opened. @param verb label of its button, such as "Cancel run" */
  async confirm(verb: string): Promise<void> {
    const dialog = this.page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: verb, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** Checks the page in each viewport and color scheme by the rules of WCAG 2.2 AA. @returns one line per violation */
  async accessibilityViolations(): Promise<string[]> {
    const lines = new Set<string>();
    for (const [viewportName, viewport] of Object.entries(viewports)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await this.page.setViewportSize(viewport);
        await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        for (const { id, nodes } of await this.#runAxe(colorScheme === 'light' ? null : COLOR_RULES)) {
          for (const { target, failureSummary } of nodes)
            lines.add(`${viewportName} ${colorScheme} ${id} ${String(target)}: ${failureSummary}`);
        }
        const overflowPx = Number(await this.page.evaluate('document.documentElement.scrollWidth - innerWidth'));
        if (overflowPx > 0) lines.add(`${viewportName}: wider than the window by ${overflowPx} px`);
      }
    }
    await this.page.setViewportSize(viewports.wide);
    return [...lines];
  }

  /** @param rules null: all rules of WCAG 2.2 AA */
  async #runAxe(rules: readonly string[] | null): Promise<axe.Result[]> {
    if (!(await this.page.evaluate('"axe" in globalThis'))) await this.page.evaluate(axe.source);
    const runOnly: axe.RunOnly = rules ? { type: 'rule', values: [...rules] } : { type: 'tag', values: [...WCAG_TAGS] };
    const { violations } = await this.page.evaluate(
      (options) =>
        // @ts-expect-error: declared by the script above
        globalThis.axe.run(options) as Promise<axe.AxeResults>,
      { runOnly, resultTypes: ['violations' as const] },
    );
    return violations;
  }

  close(): Promise<void> {
    return this.#context.close();
  }
}
