/// <reference lib="dom" />
import { describe } from './describe-element.ts';
import { continuationOf, receivesKeys } from './key-destination.ts';
import { receivesInput } from './receives-input.ts';

/** Kind of pointer input. Presses are stopped if they would hit another element; moves are only reported. */
export type PointerInput = 'press' | 'hover';

/** Kind of keyboard input: a key whose first event is checked, or a text of which each event is checked. */
export type KeyInput = 'key' | 'text';

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

/** Effect of a press that reached its target, after its last event. */
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
  /** Destination of a text. */
  readonly text: TextDestination;
}

/** Destination of a text that was typed. */
export interface TextDestination {
  /** Number of keys and inputs that a field received. */
  readonly accepted: number;
  /** Number of keys and inputs that the page cancelled. */
  readonly canceled: number;
  /** Following fields of a code that received a part of the text, in order. */
  readonly parts: readonly { readonly text: string; readonly isLimited: boolean }[];
}

/**
 * Arms the interceptor in the document of the target. Sent as the detail of an event on the target, for example `7
 * press name`.
 */
export interface ArmCommand {
  /** Type of the events that carry commands. The page does not know it. */
  readonly token: string;
  readonly id: number;
  readonly input: PointerInput | KeyInput;
  /** True to stop a press on an element whose name changed meanwhile. */
  readonly checksName: boolean;
}

interface Helpers {
  readonly acceptsInput: typeof receivesInput;
  readonly receivesKeys: typeof receivesKeys;
  readonly continuationOf: typeof continuationOf;
  readonly describe: typeof describe;
}

/**
 * Runs in an isolated world of each document before the scripts of the page, which can neither see nor replace it.
 * Its listeners run first. An event arms it for the element that receives the event. `guard` arms it in a document
 * that expects no input.
 */
function hitTargetInterceptor(token: string, binding: string, helpers: Helpers) {
  const { acceptsInput, receivesKeys, continuationOf, describe } = helpers;
  const pressParts = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
  const completions = new Set(['click', 'auxclick', 'contextmenu']);
  const presses = new Set('pointerdown mousedown pointerup mouseup click auxclick dblclick contextmenu'.split(' '));
  const moves = new Set(['pointermove', 'mousemove']);
  const keys = new Set(['keydown', 'keyup']);
  const textEvents = new Set(['keydown', 'keypress', 'beforeinput', 'input', 'keyup']);
  const eventsOf: Readonly<Record<string, ReadonlySet<string>>> = { press: presses, hover: moves, key: textEvents };
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
    /** Press events whose dispatch has not ended. */
    readonly openParts: Set<string>;
    hasActed: boolean;
    isHandled: boolean;
    /** True if a later press would hit another element before any click reached the target. Its events are stopped. */
    isLost: boolean;
    /** Destination of a text so far. */
    readonly text: {
      accepted: number;
      canceled: number;
      last: Event | null;
      readonly parts: { readonly field: HTMLInputElement; readonly isLimited: boolean }[];
    };
  }
  const expectation = (id: number, input: string, target: Element | null, name: string | null): Armed => ({
    ...{ id, input, target, name, armedAt: performance.now(), result: null, clicks: new Map(), openParts: new Set() },
    ...{ hasActed: false, isHandled: false, isLost: false },
    text: { accepted: 0, canceled: 0, last: null, parts: [] },
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

  const decideKey = (target: Element, event: Event): HitResult => {
    const path = event.composedPath();
    return receivesKeys(target, path) ? { hit: 'target' } : { hit: 'other', description: describeNode(path[0]) };
  };

  /** Follows a press that reached its target to its click. */
  const onPart = (current: Armed, target: Element, event: MouseEvent) => {
    const isHit = decide(target, null, event).hit === 'target';
    const { id, clicks, openParts } = current;
    if (event.type.endsWith('down') && !isHit && clicks.size === 0 && !current.hasActed && !current.isHandled)
      current.isLost = true;
    if (current.isLost) return stop(event);
    if (!isHit || isDisabled(target)) return;
    if (pressParts.includes(event.type)) openParts.add(event.type);
    if (completions.has(event.type)) {
      clicks.set(event.type, (clicks.get(event.type) ?? 0) + 1);
      report({ id, clicks: Math.max(...clicks.values()) });
    }
  };

  /** Runs after the listeners of the page, unless one of them stopped the event. */
  const onPartEnd = (event: Event) => {
    if (!armed?.target || !event.isTrusted || !armed.openParts.delete(event.type)) return;
    if (event.type.endsWith('down') && event.defaultPrevented) armed.isHandled = true;
    if (event.type !== 'pointerdown' && !isInPlace(armed.target, event as MouseEvent)) armed.hasActed = true;
  };

  const onInput = (event: Event) => {
    if (!armed || !event.isTrusted || !isRecent(armed.armedAt)) return;
    if (!eventsOf[armed.input]?.has(event.type)) return;
    const isPress = armed.input !== 'hover';
    if (!armed.result) {
      const { id, input, target, name } = armed;
      if (!target) armed.result = hitInOtherDocument(event, isPress);
      else armed.result = input === 'key' ? decideKey(target, event) : decide(target, name, event as MouseEvent);
      if (!armed.result) return;
      report({ id, result: armed.result });
    }
    if (!isPress) return;
    if (armed.result.hit !== 'target') stop(event);
    else if (armed.target && armed.input === 'press') onPart(armed, armed.target, event as MouseEvent);
  };

  let lastInputTask = 0;
  /** True in a task that handles an input event. */
  let isInInput = false;
  const enterInput = () => {
    isInInput = true;
    lastInputTask += 1;
    const task = lastInputTask;
    setTimeout(() => {
      if (task === lastInputTask) isInInput = false;
    });
  };
  /** True if the page moved the focus last while it handled an input event. */
  let isReaction = false;
  const onFocus = () => {
    if (armed?.input === 'text') isReaction = isInInput;
  };

  /** True if an event goes to the text's field. Adds the next field of a code to `parts`. */
  const acceptText = ({ target, text }: Armed, path: readonly EventTarget[]): boolean => {
    const [focused] = path;
    if (!target || !(focused instanceof Element)) return false;
    if (text.parts.some(({ field }) => field === focused) || receivesKeys(target, path)) return true;
    const isField = (node: Element) =>
      node instanceof HTMLInputElement ||
      node instanceof HTMLTextAreaElement ||
      (node instanceof HTMLElement && node.isContentEditable);
    // A menu moves the focus to the entry that is typed.
    if (!isField(target)) return !isField(focused);
    const next = continuationOf(text.parts.at(-1)?.field ?? target, focused, isReaction);
    if (!next) return false;
    const field = focused as HTMLInputElement;
    text.parts.push({ field, ...next });
    const property = '-webkit-text-security';
    if (getComputedStyle(target).getPropertyValue(property) === 'disc')
      field.style.setProperty(property, 'disc', 'important');
    return true;
  };

  const onText = (event: Event) => {
    if (armed?.input !== 'text' || !event.isTrusted || !isRecent(armed.armedAt)) return;
    const { id, text } = armed;
    // A key may end in another field than it began in.
    const isDecisive = event.type !== 'keyup' && event.type !== 'input';
    if (armed.result?.hit !== 'other' && isDecisive) {
      const path = event.composedPath();
      if (!armed.target) armed.result = hitInOtherDocument(event, true);
      else if (acceptText(armed, path)) armed.result = { hit: 'target' };
      else armed.result = { hit: 'other', description: describeNode(path[0]) };
      if (armed.result?.hit === 'other') report({ id, result: armed.result });
    }
    if (armed.result?.hit === 'other') {
      stop(event);
      return;
    }
    enterInput();
    if (!isDecisive) return;
    text.accepted += 1;
    if (text.last?.defaultPrevented) text.canceled += 1;
    text.last = event;
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
    isReaction = false;
    // Confirms that it is armed.
    event.preventDefault();
  };

  return {
    /** Adds the listeners. `document.open` removes them, so this may run again. */
    listen() {
      const options = { capture: true, passive: false };
      for (const type of [...presses, ...moves]) window.addEventListener(type, onInput, options);
      for (const type of [...keys, ...clicks]) window.addEventListener(type, onMuted, options);
      for (const type of pressParts) window.addEventListener(type, onPartEnd);
      for (const type of textEvents) {
        window.addEventListener(type, onInput, options);
        window.addEventListener(type, onText, options);
      }
      window.addEventListener('focus', onFocus, options);
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
      const { accepted, canceled, last, parts } = armed.text;
      return {
        isOfTarget: armed.target !== null,
        result: armed.result ?? { hit: 'none' },
        text: {
          accepted,
          canceled: canceled + (last?.defaultPrevented ? 1 : 0),
          parts: parts.map(({ field, isLimited }) => ({
            text: field.value,
            // The rest of a text in a field without a limit may not belong there.
            isLimited: isLimited && (field.maxLength > 0 || field.value.length <= 1),
          })),
        },
      };
    },

    /** Returns what a press did that reached its target here; null in other documents. */
    press(id: number): PressAnswer | null {
      if (armed?.id !== id || armed.result?.hit !== 'target') return null;
      const { clicks, hasActed, isHandled, openParts } = armed;
      return { clicks: Math.max(0, ...clicks.values()), hasActed, isHandled: isHandled || openParts.size > 0 };
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

/** An interceptor's report: the first event of an input, then each click on its target. */
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
if (!Object.hasOwn(globalThis, 'hitTarget')) globalThis.hitTarget = (${hitTargetInterceptor.toString()})(${JSON.stringify(token)}, ${JSON.stringify(binding)}, { acceptsInput: ${receivesInput.toString()}, receivesKeys: ${receivesKeys.toString()}, continuationOf: ${continuationOf.toString()}, describe: ${describe.toString()} });
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
