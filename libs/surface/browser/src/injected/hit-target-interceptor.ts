/// <reference lib="dom" />
import { describe } from './describe-element.ts';
import { receivesInput } from './receives-input.ts';

/** Kind of pointer input. Presses are stopped if they would hit another element; moves are only reported. */
export type PointerInput = 'press' | 'hover';

/** Element that the input hit. */
export type HitResult =
  | { readonly hit: 'target' }
  /** Another element. A press was stopped: no listener of the page received it. */
  | { readonly hit: 'other'; readonly description: string }
  /** The target, but its name changed after the interceptor was armed. The press was stopped. */
  | { readonly hit: 'renamed' }
  /** No trusted event reached the document of the target or any other document with an interceptor. */
  | { readonly hit: 'none' }
  /** The document was replaced before an event reached it. */
  | { readonly hit: 'gone' };

/** What a press did that reached its target, after its last event. */
export interface PressAnswer {
  /** Number of clicks that reached the target: `click`, or `auxclick` and `contextmenu` of another button. */
  readonly clicks: number;
  /** True if the page removed, covered, disabled or moved the target while it handled a part of the press. */
  readonly hasActed: boolean;
  /** True if the page stopped or prevented a part of the press. */
  readonly isHandled: boolean;
}

/** Answer of the interceptor of one document. */
export interface HitAnswer {
  /** True if the target is in this document. */
  readonly isOfTarget: boolean;
  readonly result: HitResult;
}

/**
 * Arms the interceptor in the document of the target. Sent as the detail of an event on the target, for example `7
 * press name`.
 */
export interface ArmCommand {
  /** Type of the events that carry commands. The page does not know it. */
  readonly token: string;
  readonly id: number;
  readonly input: PointerInput;
  /** True to stop a press on an element whose name changed meanwhile. */
  readonly checksName: boolean;
}

type ReceivesInput = typeof receivesInput;
type Describe = typeof describe;

/**
 * Runs in an isolated world of each document before the scripts of the page, which can neither see nor replace it.
 * Its listeners run first. An event arms it for the element that receives the event. `guard` arms it in a document
 * that expects no input.
 */
function hitTargetInterceptor(token: string, binding: string, acceptsInput: ReceivesInput, describe: Describe) {
  const parts = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
  const completions = new Set(['click', 'auxclick', 'contextmenu']);
  const presses = new Set('pointerdown mousedown pointerup mouseup click auxclick dblclick contextmenu'.split(' '));
  const moves = new Set(['pointermove', 'mousemove']);
  const keys = new Set(['keydown', 'keyup']);
  const clicks = new Set(['click', 'auxclick', 'dblclick']);
  const embedded = new Set(['iframe', 'frame', 'object', 'embed']);
  /** Time after which the result is no longer awaited. */
  const EXPIRY_MS = 30_000;
  interface Armed {
    readonly id: number;
    readonly input: string;
    /** Null if the target is in another document. */
    readonly target: Element | null;
    readonly name: string | null;
    readonly armedAt: number;
    result: HitResult | null;
    /** Clicks that reached the target, by type. */
    readonly clicks: Map<string, number>;
    /** Parts of the press that reached the target, but not yet the end of their path. */
    readonly open: Set<string>;
    hasActed: boolean;
    isHandled: boolean;
    /** True if a further press of a double click would hit another element, although none clicked the target. */
    isLost: boolean;
  }
  const expectation = (id: number, input: string, target: Element | null, name: string | null): Armed => ({
    ...{ id, input, target, name, armedAt: performance.now(), result: null, clicks: new Map(), open: new Set() },
    ...{ hasActed: false, isHandled: false, isLost: false },
  });
  let armed: Armed | null = null;
  let mutedSince: number | null = null;
  const isRecent = (since: number) => performance.now() - since <= EXPIRY_MS;

  // The fields of a form are properties of the form, so methods are taken from the prototypes.
  const attributeOf = (element: Element, name: string) => Element.prototype.getAttribute.call(element, name);
  const textOf = (element: Element) =>
    Object.getOwnPropertyDescriptor(Node.prototype, 'textContent')?.get?.call(element) as string | null;
  const parentOf = (node: Node) =>
    Object.getOwnPropertyDescriptor(Node.prototype, 'parentNode')?.get?.call(node) as Node | null;
  const contains = (element: Element, inner: Element) => Node.prototype.contains.call(element, inner);

  /** Returns everything that the accessible name of an element is computed from. */
  const nameOf = (element: Element): string => {
    const attributes = ['aria-label', 'aria-labelledby', 'title', 'alt', 'value', 'placeholder'];
    const input = element.localName === 'input' ? (element as HTMLInputElement) : null;
    const value = input && ['submit', 'button', 'reset'].includes(input.type) ? input.value : '';
    return [...attributes.map((name) => attributeOf(element, name) ?? ''), value, textOf(element) ?? ''].join('\n');
  };

  const describeNode = (node: EventTarget | undefined) =>
    node && 'localName' in node ? describe(node as Element) : 'the page';

  /** Reports a hit in a document that expects no input, with its frame. */
  const hitInOtherDocument = (event: Event, isPress: boolean): HitResult | null => {
    const [hit] = event.composedPath();
    // Chromium also moves the pointer in the documents around the one it enters.
    if (!isPress && hit && embedded.has((hit as Element).localName)) return null;
    const frame = window.frameElement;
    const frameText =
      window.parent === window ? '' : ` in ${frame ? describe(frame) : `a frame of ${location.origin}`}`;
    return { hit: 'other', description: `${describeNode(hit)}${frameText}` };
  };

  const shadowRootOf = (element: Element | null) =>
    element &&
    (Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot')?.get?.call(element) as ShadowRoot | null);
  const isDisabled = (element: Element) => Element.prototype.matches.call(element, ':disabled');

  /** True if a press at the position of an event would hit the target. */
  const isInPlace = (target: Element, { clientX, clientY }: MouseEvent): boolean => {
    if (isDisabled(target)) return false;
    const path: Node[] = [];
    let hit = document.elementFromPoint(clientX, clientY);
    for (let root = shadowRootOf(hit); root; root = shadowRootOf(hit)) {
      const inner = root.elementFromPoint(clientX, clientY);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    for (let node: Node | null = hit; node; node = node instanceof ShadowRoot ? node.host : parentOf(node))
      path.push(node);
    return acceptsInput(target, path);
  };

  const decide = (target: Element, name: string | null, event: MouseEvent): HitResult => {
    const path = event.composedPath();
    // Slotted text without a separate element hits the host, although it is rendered inside the shadow root.
    const root = Node.prototype.getRootNode.call(target);
    const inside =
      root instanceof ShadowRoot && path[0] === root.host
        ? root.elementsFromPoint(event.clientX, event.clientY).filter((inner) => inner.getRootNode() === root)
        : [];
    const isSlotted = inside[0] !== undefined && (inside[0] === target || contains(target, inside[0]));
    if (!acceptsInput(target, path) && !isSlotted) return { hit: 'other', description: describeNode(path[0]) };
    return name !== null && nameOf(target) !== name ? { hit: 'renamed' } : { hit: 'target' };
  };

  const stop = (event: Event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  const report = (answer: HitReport) =>
    (globalThis as unknown as Record<string, (report: string) => void>)[binding]?.(JSON.stringify(answer));

  /** Follows a press that reached its target to its click. */
  const onPart = (current: Armed, target: Element, event: MouseEvent) => {
    const isHit = decide(target, null, event).hit === 'target';
    const { id, clicks, open } = current;
    if (event.type.endsWith('down') && !isHit && clicks.size === 0 && !current.hasActed && !current.isHandled)
      current.isLost = true;
    if (current.isLost) return stop(event);
    if (!isHit || isDisabled(target)) return;
    if (parts.includes(event.type)) open.add(event.type);
    if (completions.has(event.type)) {
      clicks.set(event.type, (clicks.get(event.type) ?? 0) + 1);
      report({ id, clicks: Math.max(...clicks.values()) });
    }
  };

  /** Runs after the listeners of the page, unless one of them stopped the event. */
  const onPartEnd = (event: Event) => {
    if (!armed?.target || !event.isTrusted || !armed.open.delete(event.type)) return;
    if (event.type.endsWith('down') && event.defaultPrevented) armed.isHandled = true;
    if (event.type !== 'pointerdown' && !isInPlace(armed.target, event as MouseEvent)) armed.hasActed = true;
  };

  const onInput = (event: Event) => {
    if (!armed || !event.isTrusted || !isRecent(armed.armedAt)) return;
    const isPress = presses.has(event.type);
    if (isPress !== (armed.input === 'press')) return;
    if (!armed.result) {
      const { id, target, name } = armed;
      armed.result = target ? decide(target, name, event as MouseEvent) : hitInOtherDocument(event, isPress);
      if (!armed.result) return;
      report({ id, result: armed.result });
    }
    if (!isPress) return;
    if (armed.result.hit !== 'target') stop(event);
    else if (armed.target) onPart(armed, armed.target, event as MouseEvent);
  };

  const onMuted = (event: Event) => {
    if (mutedSince === null || !event.isTrusted || !isRecent(mutedSince)) return;
    if (clicks.has(event.type) || (event as KeyboardEvent).key === 'Escape') stop(event);
  };

  const onArm = (event: Event) => {
    event.stopImmediatePropagation();
    const [id, input = '', checksName] = String((event as CustomEvent).detail).split(' ');
    const target = event.composedPath()[0] as Element;
    const name = checksName === 'name' ? nameOf(target) : null;
    armed = expectation(Number(id), input, target, name);
    // Confirms that it is armed.
    event.preventDefault();
  };

  return {
    /** Adds the listeners. `document.open` removes them, so this may run again. */
    listen() {
      const options = { capture: true, passive: false };
      for (const type of [...presses, ...moves]) window.addEventListener(type, onInput, options);
      for (const type of [...keys, ...clicks]) window.addEventListener(type, onMuted, options);
      for (const type of parts) window.addEventListener(type, onPartEnd);
      window.addEventListener(token, onArm, options);
    },

    /** Expects that an input hits nothing in this document, unless it contains the target. */
    guard(id: number, input: string) {
      this.listen();
      if (armed?.id !== id) armed = expectation(id, input, null, null);
    },

    /** Returns what an input hit in this document, or null if the interceptor is not armed for it. */
    read(id: number): HitAnswer | null {
      if (armed?.id !== id) return null;
      return { isOfTarget: armed.target !== null, result: armed.result ?? { hit: 'none' } };
    },

    /** Returns what a press did that reached its target here; null in other documents. */
    press(id: number): PressAnswer | null {
      if (armed?.id !== id || armed.result?.hit !== 'target') return null;
      const { clicks, hasActed, isHandled, open } = armed;
      return { clicks: Math.max(0, ...clicks.values()), hasActed, isHandled: isHandled || open.size > 0 };
    },

    /** Returns the target of a press. */
    target(id: number): Element | null {
      return armed?.id === id ? armed.target : null;
    },

    /** Lets all input through. */
    stop() {
      armed = null;
      mutedSince = null;
    },

    /** Stops clicks and the Escape key, which cancel a drag and are not meant for the page. */
    mute() {
      this.listen();
      armed = null;
      mutedSince = performance.now();
    },
  };
}

/** Commands for the interceptors of all documents of a page. */
export type InterceptorCommand = keyof Omit<ReturnType<typeof hitTargetInterceptor>, 'listen'>;

/** Report of an interceptor at the first event of an input, and at each click of a press on its target. */
export interface HitReport {
  readonly id: number;
  readonly result?: HitResult;
  readonly clicks?: number;
}

/**
 * Source of a script for an isolated world. It may run in a document more than once.
 * @param token type of the events that carry commands
 * @param binding name of the function that takes a `HitReport` as JSON
 */
export const interceptorSource = (token: string, binding: string): string =>
  `(() => { const __name = (it) => it;
if (!Object.hasOwn(globalThis, 'hitTarget')) globalThis.hitTarget = (${hitTargetInterceptor.toString()})(${JSON.stringify(token)}, ${JSON.stringify(binding)}, ${receivesInput.toString()}, ${describe.toString()});
globalThis.hitTarget.listen(); })();`;

/**
 * Returns an expression that runs a command in the isolated world of an interceptor. It evaluates to null without an
 * interceptor.
 */
export const commandSource = (command: InterceptorCommand, ...args: readonly (string | number)[]): string =>
  `(Object.hasOwn(globalThis, 'hitTarget') ? hitTarget.${command}(...${JSON.stringify(args)}) : null) ?? null`;

/** Arms the interceptor for an element. Runs in the page. @returns false if no interceptor answers */
export function armHitTarget(element: Element, { token, id, input, checksName }: ArmCommand): boolean {
  const detail = `${id} ${input} ${checksName ? 'name' : ''}`;
  const event = new CustomEvent(token, { detail, composed: true, cancelable: true });
  const dispatch = Reflect.get(Object.getPrototypeOf(element) as object, 'dispatchEvent', element) as (
    event: Event,
  ) => boolean;
  return !dispatch.call(element, event);
}
