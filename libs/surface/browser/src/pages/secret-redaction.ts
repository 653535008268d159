import { uriOriginIdOf } from '@pilothouse/core/origin/uri-origin';
import { systemClock, type Clock } from '@pilothouse/core/ports/runtime.port';
import { raceDeadline, type Deadline } from '@pilothouse/core/time/deadlines';
import type { CDPSession, Frame, Page } from 'playwright-core';
import type { ElementRef } from './element-ref.ts';
import { elementFunction } from '../injected/evaluate-functions.ts';

/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/**
 * Renders dots instead of the text in fields that contain a secret, and in password fields, even if the page changes
 * their type. It is sent as source and runs in an isolated world. Page scripts see the style, but not the secrets.
 * @returns number of fields that showed a secret until now
 */
export function redactFields(texts: readonly string[]): number {
  /** Shorter texts occur in fields by chance. */
  const MIN_SUBSTRING_CHARS = 4;
  const STYLE = '-webkit-text-security';
  const containsSecret = (value: string) =>
    texts.some((text) => (text.length < MIN_SUBSTRING_CHARS ? value === text : value.includes(text)));
  let exposedCount = 0;

  const redactField = (field: HTMLElement): void => {
    const { type, value } = field as HTMLInputElement;
    const isPassword = type === 'password';
    if (!isPassword && !containsSecret(value ?? field.innerText)) return;
    if (field.style.getPropertyValue(STYLE) === 'disc' && field.style.getPropertyPriority(STYLE) !== '') return;
    field.style.setProperty(STYLE, 'disc', 'important');
    if (!isPassword) exposedCount += 1;
  };

  const visit = (root: Document | ShadowRoot): void => {
    for (const field of root.querySelectorAll<HTMLElement>('input, textarea, [contenteditable]')) redactField(field);
    // A form may have a field of this name.
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot instanceof ShadowRoot) visit(shadowRoot);
  };
  visit(document);
  return exposedCount;
}

/** Maximum delay in seconds until Chromium renders a change. Newer frames show it. */
const RENDER_DELAY_S = 0.2;

const coverField = elementFunction((element: Element) => {
  if (element instanceof HTMLElement) element.style.setProperty('-webkit-text-security', 'disc', 'important');
});

/**
 * Hides secrets in screenshots and screencasts: fields that contain one show dots, as password fields do. A field is
 * covered before a secret is typed into it. Before each screenshot and frame, it covers fields that received a secret
 * otherwise or lost their cover. A secret is searched only in documents of the origins that received it.
 */
export class SecretRedactor {
  /** Secrets by the origin that received them. */
  readonly #secrets = new Map<string, Set<string>>();
  readonly #sessions = new WeakMap<Frame, CDPSession>();
  /** Time in seconds since 1970 until which pages may have shown a secret that is covered now. */
  #exposedUntil = 0;
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Registers a text with secrets that is about to be typed. */
  register(text: string, origin: string): void {
    const texts = this.#secrets.get(origin) ?? new Set();
    this.#secrets.set(origin, texts.add(text));
  }

  /** True if there are secrets beyond password fields. */
  get hasSecrets(): boolean {
    return this.#secrets.size > 0;
  }

  /** True if an image taken at a time shows no secret. @param takenAt seconds since 1970 */
  isClear(takenAt: number): boolean {
    return takenAt > this.#exposedUntil;
  }

  /** Covers a field before text is typed into it. */
  async coverElement(ref: ElementRef, deadline: Deadline): Promise<void> {
    await raceDeadline(ref.evaluateAll(coverField, undefined), deadline, 'The field');
  }

  /**
   * Covers all fields with secrets.
   * @param cdp session of the page
   * @throws PilothouseError STEP_TIMED_OUT if the page does not answer
   */
  async redactPage(page: Page, cdp: CDPSession | null, deadline: Deadline): Promise<void> {
    const frames = page
      .frames()
      .filter((frame) => frame !== page.mainFrame() && this.#secrets.has(uriOriginIdOf(frame.url()) ?? 'null'));
    const sessions = await Promise.all(frames.map((frame) => this.#sessionOf(frame)));
    const allSessions = [cdp, ...sessions].filter((session) => session !== null);
    const exposedCounts = await raceDeadline(
      Promise.all(allSessions.map((session) => this.#redactProcess(session))),
      deadline,
      'Covering secrets',
    );
    if (exposedCounts.some((exposedCount) => exposedCount > 0))
      this.#exposedUntil = this.#clock.now().getTime() / 1000 + RENDER_DELAY_S;
  }

  /** @returns number of a process's fields that showed a secret until now */
  async #redactProcess(cdp: CDPSession): Promise<number> {
    let exposedCount = 0;
    const root = await readFrameTree(cdp);
    for (const { id, loaderId, securityOrigin } of root ? flattenTree(root) : []) {
      const texts = this.#secrets.get(securityOrigin);
      if (!texts && id !== root?.frame.id) continue;
      try {
        exposedCount += await redactFrame(cdp, id, [...(texts ?? [])]);
      } catch (error) {
        if (await hasDocument(cdp, id, loaderId)) throw error;
      }
    }
    return exposedCount;
  }

  /** Returns the session of a frame with a separate process; null if it shares the process of the page. */
  async #sessionOf(frame: Frame): Promise<CDPSession | null> {
    const existing = this.#sessions.get(frame);
    if (existing) return existing;
    try {
      const session = await frame.page().context().newCDPSession(frame);
      this.#sessions.set(frame, session);
      session.once('close', () => this.#sessions.delete(frame));
      return session;
    } catch {
      return null;
    }
  }
}

interface FrameTree {
  readonly frame: { readonly id: string; readonly loaderId: string; readonly securityOrigin: string };
  readonly childFrames?: readonly FrameTree[];
}

const flattenTree = ({ frame, childFrames = [] }: FrameTree): FrameTree['frame'][] => [
  frame,
  ...childFrames.flatMap(flattenTree),
];

/** Returns the frames of a process; null if its session has ended and it renders nothing. */
const readFrameTree = (cdp: CDPSession): Promise<FrameTree | null> =>
  cdp.send('Page.getFrameTree').then(
    ({ frameTree }) => frameTree,
    () => null,
  );

/** True if a frame still has the document of this loader. A secret in a replaced document is not shown. */
async function hasDocument(cdp: CDPSession, frame: string, loader: string): Promise<boolean> {
  const root = await readFrameTree(cdp);
  return root !== null && flattenTree(root).some(({ id, loaderId }) => id === frame && loaderId === loader);
}

async function redactFrame(cdp: CDPSession, frameId: string, texts: readonly string[]): Promise<number> {
  const { executionContextId } = await cdp.send('Page.createIsolatedWorld', { frameId, worldName: 'ph-redaction' });
  const { result } = await cdp.send('Runtime.evaluate', {
    expression: `(() => { const __name = (it) => it; return (${redactFields.toString()})(${JSON.stringify(texts)}); })()`,
    contextId: executionContextId,
    returnByValue: true,
  });
  return typeof result.value === 'number' ? result.value : 0;
}
