import { actionNames, type Action } from '@pilothouse/contract/actions/action-sets';
import { conditionTexts, type Condition } from '@pilothouse/contract/actions/condition.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { StorageState } from '@pilothouse/contract/project/profile.schema';
import { uriOriginIdOf } from '@pilothouse/core/origin/uri-origin';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { ActionServices, ActionOutcome, Screenshot } from '@pilothouse/core/ports/surface-action.port';
import type { Anchors, OpenOptions, PageSurface, SurfaceHost } from '@pilothouse/core/ports/surface.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import { HttpPage, fetchPage, includesIgnoreCase } from './http.page.ts';

/** Maximum redirects. */
const MAX_REDIRECTS = 5;
/** Milliseconds between two checks of a page that does not change by itself. */
const POLL_INTERVAL_MS = 50;

/**
 * A surface host for tests without a browser. Its surfaces send real requests, one per navigation and one per click on a form button, so
 * that the site can count actions. It parses plain forms and no scripts. Not for production.
 */
export class HttpSurfaceHost implements SurfaceHost {
  readonly kind = 'browser';
  readonly capabilities = { actions: new Set(actionNames) };

  open({ profile }: OpenOptions, { signal }: Context): Promise<HttpSurface> {
    signal.throwIfAborted();
    if (profile)
      return Promise.reject(new PilothouseError('ACTION_UNSUPPORTED', 'The HTTP surface does not support profiles'));
    return Promise.resolve(new HttpSurface());
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** The state of one visitor: page, typed values and cookies. */
export class HttpSurface implements PageSurface {
  readonly isWaiting = false;
  private page = new HttpPage('about:blank', '');
  private typedValues: Record<string, string> = {};
  private cookies: Record<string, string> = {};
  private readonly lossController = new AbortController();

  get lossSignal(): AbortSignal {
    return this.lossController.signal;
  }

  anchors({ signal }: Context): Promise<Anchors> {
    signal.throwIfAborted();
    const { url, title } = this.page;
    return Promise.resolve({ url, title });
  }

  async act(action: Action, context: ActionServices): Promise<ActionOutcome> {
    switch (action.action) {
      case 'navigate':
        await this.request(new URL(action.url, baseUrlOf(this.page.url)), context);
        break;
      case 'fill': {
        const name = this.page.fieldOf(nameOf(action.target, 'label'));
        if (name === undefined) throw notFound(action);
        const text = await context.reveal(action.text, uriOriginIdOf(this.page.url) ?? 'null');
        context.guard();
        this.typedValues[name] = text;
        break;
      }
      case 'click': {
        const form = this.page.formOf(nameOf(action.target, 'name'));
        if (!form) throw notFound(action);
        await this.request(new URL(form.action), context, new URLSearchParams({ ...form.fields, ...this.typedValues }));
        break;
      }
      case 'waitFor':
      case 'assert':
        await this.expect(action.condition, context);
        break;
      case 'extract':
        return { located: null, value: action.value ? this.page.text.slice(0, 1000) : [] };
      case 'screenshot':
        return { located: null, screenshot: onePixel };
      default:
        throw new PilothouseError('ACTION_UNSUPPORTED', `The HTTP surface does not support ${action.action}`);
    }
    return { located: null };
  }

  async expect(condition: Condition, context: Context): Promise<void> {
    while (!(await this.isMet(condition, context))) {
      if (performance.now() > context.deadline)
        throw new PilothouseError('CONDITION_NOT_MET', `Condition not met: the page is ${this.page.url}`);
      await systemTimers.delay(POLL_INTERVAL_MS, context.signal);
    }
  }

  isMet({ url, title, text, enabled, visible = enabled }: Condition, { signal }: Context): Promise<boolean> {
    signal.throwIfAborted();
    const { page } = this;
    const isVisible = visible === undefined || page.hasButton(nameOf(visible, 'name')) || isField(page, visible);
    return Promise.resolve(
      (url === undefined || page.url.includes(url)) &&
        (title === undefined || includesIgnoreCase(page.title, title)) &&
        conditionTexts({ text }).every((conditionText) => includesIgnoreCase(page.text, conditionText)) &&
        isVisible,
    );
  }

  observe(): Promise<Observation> {
    return Promise.reject(new PilothouseError('ACTION_UNSUPPORTED', 'This surface has no elements'));
  }

  waitUntilIdle(): Promise<boolean> {
    return Promise.resolve(false);
  }

  screenshot(_options: object, { signal }: Context): Promise<Screenshot> {
    signal.throwIfAborted();
    return Promise.resolve(onePixel);
  }

  save({ signal }: Context): Promise<string | null> {
    signal.throwIfAborted();
    const hasTypedValues = Object.keys(this.typedValues).length > 0;
    return Promise.resolve(hasTypedValues ? null : JSON.stringify({ url: this.page.url, cookies: this.cookies }));
  }

  async restore(state: string, context: Pick<ActionServices, 'guard'> & Context): Promise<void> {
    const { url, cookies } = JSON.parse(state) as { url: string; cookies: Record<string, string> };
    this.cookies = cookies;
    if (url !== 'about:blank') await this.request(new URL(url), context);
  }

  openPage(): Promise<HttpSurface> {
    const page = new HttpSurface();
    page.cookies = this.cookies;
    return Promise.resolve(page);
  }

  profile(): Promise<StorageState> {
    return Promise.reject(new PilothouseError('ACTION_UNSUPPORTED', 'The HTTP surface does not support profiles'));
  }

  readDropdown(): Promise<null> {
    return Promise.resolve(null);
  }

  /** An HTTP page opens no file chooser. */
  onFileChooser(): () => void {
    return () => undefined;
  }

  waitForFiles(): Promise<never[]> {
    return Promise.resolve([]);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Opens a page or sends a form. Guards only the first request: redirects are initiated by the site. */
  private async request(
    target: URL,
    context: Pick<ActionServices, 'guard' | 'signal'>,
    body?: URLSearchParams,
  ): Promise<void> {
    const { signal } = context;
    let url = target;
    let form = body;
    let guard: (() => void) | undefined = () => context.guard();
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const cookie = cookieText(this.cookies);
      const pendingResponse = fetchPage(url, { cookie, signal, ...(form && { form }), ...(guard && { guard }) });
      const { html, location, cookies } = await pendingResponse.catch((thrown: unknown) => {
        signal.throwIfAborted();
        if (thrown instanceof PilothouseError) throw thrown;
        throw new PilothouseError('NAVIGATION_FAILED', `Could not open ${url.href}: ${String(thrown)}`);
      });
      this.storeCookies(cookies);
      if (location === undefined) {
        this.page = new HttpPage(url.href, html);
        this.typedValues = {};
        return;
      }
      url = new URL(location, url);
      form = undefined;
      guard = undefined;
    }
    throw new PilothouseError('NAVIGATION_FAILED', `${target.href} redirects in a loop`);
  }

  private storeCookies(lines: readonly string[]): void {
    for (const line of lines) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      this.cookies[name] = value;
    }
  }
}

type Target = Extract<Action, { action: 'click' }>['target'];

const nameOf = (target: Target, kind: 'label' | 'name'): string =>
  (Array.isArray(target) ? target : [target]).map((locator) => locator[kind]).find((name) => name !== undefined) ??
  '\0';

const isField = (page: HttpPage, target: Target) => page.fieldOf(nameOf(target, 'label')) !== undefined;

const baseUrlOf = (url: string) => (url === 'about:blank' ? undefined : url);

const cookieText = (cookies: Readonly<Record<string, string>>) =>
  Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');

const notFound = ({ action }: Action) =>
  new PilothouseError('TARGET_NOT_FOUND', `The page has no element to ${action} with that name`);

const onePixel: Screenshot = {
  body: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  contentType: 'image/png',
  width: 1,
  height: 1,
};
