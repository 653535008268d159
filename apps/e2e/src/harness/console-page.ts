import axe from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { chromiumPath } from './servers.fixture.ts';

/** Windows that pages are looked at in. */
export const windows = {
  wide: { width: 1440, height: 900 },
  narrow: { width: 390, height: 844 },
} as const;

/** Milliseconds that a page may take for what it is asked, on a busy machine. */
const patienceMs = 60_000;

/**
 * A page that comes is looked at when React has it and has done what it does after it drew (it listens to keys, among others): what comes before
 * is lost, and a person would do it again.
 */
function alive(page: Page): Page {
  const isAlive = () =>
    page.waitForFunction(
      () =>
        (!document.querySelector('link[rel=modulepreload]') ||
          Object.keys(document.body as object).some((key) => key.startsWith('__reactFiber'))) &&
        new Promise((resolve) => requestIdleCallback(() => resolve(true), { timeout: 5_000 })),
    );
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
  page.goto = async (...asked) => {
    const answer = await goto(...asked);
    await isAlive();
    return answer;
  };
  page.reload = async (...asked) => {
    const answer = await reload(...asked);
    await isAlive();
    return answer;
  };
  return page;
}

/** Somebody who looks at the console with a real browser. What a page says to its own console is a fault of the page. */
export class Viewer {
  readonly page: Page;
  /** What was said that should not have been. */
  readonly faults: string[] = [];
  readonly #browser: Browser;
  readonly #context: BrowserContext;

  private constructor(browser: Browser, context: BrowserContext, page: Page) {
    this.#browser = browser;
    this.#context = context;
    this.page = page;
    page.on('pageerror', (error) => this.faults.push(String(error)));
    page.on('console', (message) => {
      // An answer that is an error is one that the spec asked for.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        this.faults.push(message.text());
      }
    });
  }

  /** @param url where the console is @param phone with a touch screen, as narrow as one */
  static async open(url: string, phone = false): Promise<Viewer> {
    const browser = await chromium.launch({
      executablePath: chromiumPath(),
      args: ['--no-sandbox'],
    });
    const context = await browser.newContext({
      ...{ baseURL: url, colorScheme: 'light' as const },
      ...(phone ? { viewport: windows.narrow, hasTouch: true, isMobile: true } : { viewport: windows.wide }),
    });
    context.setDefaultTimeout(patienceMs);
    return new Viewer(browser, context, alive(await context.newPage()));
  }

  /** Signs in with e-mail and password. */
  async signIn({ email, password }: { email: string; password: string }): Promise<void> {
    await this.page.goto('/sign-in');
    await this.page.getByLabel('E-mail').fill(email);
    await this.page.getByLabel('Password').fill(password);
    await this.#enter();
  }

  /** Signs in with an API key. */
  async signInWithKey(key: string): Promise<void> {
    await this.page.goto('/sign-in?with=key');
    await this.page.getByLabel('API key').fill(key);
    await this.#enter();
  }

  async #enter(): Promise<void> {
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  }

  /** Confirms the dialog that an action opened. @param verb on its button, such as "Cancel run" */
  async confirm(verb: string): Promise<void> {
    const dialog = this.page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: verb, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  /** Looks at the page as it is in every window and colour, by the rules of WCAG 2.2 AA. @returns what is wrong, a line each */
  async wrong(): Promise<string[]> {
    const found = new Set<string>();
    for (const [window, viewport] of Object.entries(windows)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await this.page.setViewportSize(viewport);
        await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await this.page.evaluate(axe.source);
        const { violations } = await this.page.evaluate(
          () =>
            // @ts-expect-error: it was just put there
            globalThis.axe.run({
              runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
            }) as Promise<axe.AxeResults>,
        );
        for (const { id, nodes } of violations) {
          for (const { target, failureSummary } of nodes)
            found.add(`${window} ${colorScheme} ${id} ${String(target)}: ${failureSummary}`);
        }
        const wider = await this.page.evaluate('document.documentElement.scrollWidth - innerWidth');
        if (Number(wider) > 0) found.add(`${window}: wider than the window by ${wider} px`);
      }
    }
    await this.page.setViewportSize(windows.wide);
    return [...found];
  }

  async close(): Promise<void> {
    await this.#context.close();
    await this.#browser.close();
  }
}
