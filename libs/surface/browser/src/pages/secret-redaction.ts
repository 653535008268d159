import { raceDeadline, type Deadline } from '@pilothouse/core';
import type { CDPSession, Frame, Page } from 'playwright-core';
import type { ElementRef } from '../targeting/element-ref.ts';
import { elementFunction } from '../injected/evaluate-functions.ts';

/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/**
 * Shows dots in place of what is in fields that hold one of these texts, and in those for passwords, whatever the page makes of them later.
 * It is sent as text, and runs in a world of its own: scripts of the page see the style, and never the texts.
 * @returns how many of them showed what was in them until now
 */
export function redactFields(texts: readonly string[]): number {
  /** Shorter ones are in fields by chance. */
  const INSIDE_FROM = 4;
  const STYLE = '-webkit-text-security';
  const holds = (value: string) =>
    texts.some((text) => (text.length < INSIDE_FROM ? value === text : value.includes(text)));
  let shown = 0;

  const look = (field: HTMLElement): void => {
    const { type, value } = field as HTMLInputElement;
    const isPassword = type === 'password';
    if (!isPassword && !holds(value ?? field.innerText)) return;
    if (field.style.getPropertyValue(STYLE) === 'disc' && field.style.getPropertyPriority(STYLE) !== '') return;
    field.style.setProperty(STYLE, 'disc', 'important');
    if (!isPassword) shown += 1;
  };

  const visit = (root: Document | ShadowRoot): void => {
    for (const field of root.querySelectorAll<HTMLElement>('input, textarea, [contenteditable]')) look(field);
    /* Of a form it may be a field of this name. */
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot instanceof ShadowRoot) visit(shadowRoot);
  };
  visit(document);
  return shown;
}

/** Seconds that Chromium may take to show what changed: frames that are younger show it. */
const DRAWING = 0.2;

const cover = elementFunction((element: Element) => {
  if (element instanceof HTMLElement) element.style.setProperty('-webkit-text-security', 'disc', 'important');
});

/**
 * Keeps secrets out of images and videos: fields that hold one show dots, as those for passwords do. A field is covered before a secret is
 * typed into it; before each image, and each frame of a video, fields are looked for that got it otherwise, or lost their cover.
 * Each secret is looked for in documents of the origins alone that it was given to.
 */
export class SecretRedactor {
  /** Texts that hold secrets, by the origin that got them. */
  readonly #texts = new Map<string, Set<string>>();
  readonly #lines = new WeakMap<Frame, CDPSession>();
  /** Seconds since 1970 until which the pages may have shown something that is covered now. */
  #shownUntil = 0;

  /** A text that is about to be typed, with its secrets in place. */
  know(text: string, origin: string): void {
    const texts = this.#texts.get(origin) ?? new Set();
    this.#texts.set(origin, texts.add(text));
  }

  /** Whether there is anything to cover but what browsers cover by themselves. */
  get isNeeded(): boolean {
    return this.#texts.size > 0;
  }

  /** Whether an image of the pages at that time shows nothing that had to be covered. @param at seconds since 1970 */
  isClear(at: number): boolean {
    return at > this.#shownUntil;
  }

  /** Covers a field before something is typed into it. */
  async over(one: ElementRef, bound: Deadline): Promise<void> {
    await raceDeadline(one.evaluateAll(cover, undefined), bound, 'The field');
  }

  /** Covers what is to be covered now. @param wire of the page; @throws PilothouseError STEP_TIMED_OUT when the page does not answer */
  async draw(page: Page, wire: CDPSession | null, bound: Deadline): Promise<void> {
    const frames = page
      .frames()
      .filter((frame) => frame !== page.mainFrame() && this.#texts.has(originOf(frame.url())));
    const lines = await Promise.all(frames.map((frame) => this.#lineTo(frame)));
    const all = [wire, ...lines].filter((line) => line !== null);
    const drawn = await raceDeadline(Promise.all(all.map((line) => this.#drawBy(line))), bound, 'The cover of secrets');
    if (drawn.some((shown) => shown > 0)) this.#shownUntil = Date.now() / 1000 + DRAWING;
  }

  /** @returns how many fields of a process showed a secret until now */
  async #drawBy(wire: CDPSession): Promise<number> {
    let shown = 0;
    const root = await treeOf(wire);
    for (const { id, loaderId, securityOrigin } of root ? framesIn(root) : []) {
      const texts = this.#texts.get(securityOrigin);
      if (!texts && id !== root?.frame.id) continue;
      try {
        shown += await run(wire, id, [...(texts ?? [])]);
      } catch (thrown) {
        if (await hasDocument(wire, id, loaderId)) throw thrown;
      }
    }
    return shown;
  }

  /** The line to a frame that has a process of its own; null for one that is in that of the page. */
  async #lineTo(frame: Frame): Promise<CDPSession | null> {
    const known = this.#lines.get(frame);
    if (known) return known;
    try {
      const line = await frame.page().context().newCDPSession(frame);
      this.#lines.set(frame, line);
      line.once('close', () => this.#lines.delete(frame));
      return line;
    } catch {
      return null;
    }
  }
}

const originOf = (url: string) => URL.parse(url)?.origin ?? 'null';

interface Tree {
  readonly frame: { readonly id: string; readonly loaderId: string; readonly securityOrigin: string };
  readonly childFrames?: readonly Tree[];
}

const framesIn = ({ frame, childFrames = [] }: Tree): Tree['frame'][] => [frame, ...childFrames.flatMap(framesIn)];

/** The frames of a process; null when its session has ended, so that the process draws nothing. */
const treeOf = (wire: CDPSession): Promise<Tree | null> =>
  wire.send('Page.getFrameTree').then(
    ({ frameTree }) => frameTree,
    () => null,
  );

/** Whether a frame still shows the document of this loader. A secret in a document that has gone is not shown. */
async function hasDocument(wire: CDPSession, frame: string, loader: string): Promise<boolean> {
  const root = await treeOf(wire);
  return root !== null && framesIn(root).some(({ id, loaderId }) => id === frame && loaderId === loader);
}

async function run(wire: CDPSession, frameId: string, texts: readonly string[]): Promise<number> {
  const { executionContextId } = await wire.send('Page.createIsolatedWorld', { frameId, worldName: 'ph-veil' });
  const { result } = await wire.send('Runtime.evaluate', {
    expression: `(() => { const __name = (it) => it; return (${redactFields.toString()})(${JSON.stringify(texts)}); })()`,
    contextId: executionContextId,
    returnByValue: true,
  });
  return typeof result.value === 'number' ? result.value : 0;
}
