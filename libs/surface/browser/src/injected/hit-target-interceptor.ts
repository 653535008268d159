/// <reference lib="dom" />
import { expectInput, type Armed, type InterceptorTools } from './armed-input.ts';
import { describe } from './describe-element.ts';
import type { ArmCommand, HitAnswer, HitReport, HitResult, PressAnswer } from './hit-result.ts';
import { continuationOf, receivesKeys } from './key-destination.ts';
import { followPresses } from './press-follower.ts';
import { receivesInput } from './receives-input.ts';
import { followTexts } from './text-follower.ts';

interface Helpers {
  readonly expectInput: typeof expectInput;
  readonly followPresses: typeof followPresses;
  readonly followTexts: typeof followTexts;
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
  const { acceptsInput, receivesKeys, continuationOf, describe, expectInput } = helpers;
  const presses = new Set('pointerdown mousedown pointerup mouseup click auxclick dblclick contextmenu'.split(' '));
  const moves = new Set(['pointermove', 'mousemove']);
  const keys = new Set(['keydown', 'keyup']);
  const textEvents = new Set(['keydown', 'keypress', 'beforeinput', 'input', 'keyup']);
  const eventsOf: Readonly<Record<string, ReadonlySet<string>>> = { press: presses, hover: moves, key: textEvents };
  const clicks = new Set(['click', 'auxclick', 'dblclick']);
  const embedded = new Set(['iframe', 'frame', 'object', 'embed']);
  /** Time after which the result is no longer awaited. */
  const EXPIRY_MS = 30_000;
  let armed: Armed | null = null;
  let mutedSince: number | null = null;
  const isRecent = (since: number) => performance.now() - since <= EXPIRY_MS;

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

  const stop = (event: Event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  const report = (answer: HitReport) =>
    (globalThis as unknown as Record<string, (report: string) => void>)[binding]?.(JSON.stringify(answer));

  const tools: InterceptorTools = { isRecent, stop, report, describeNode, hitInOtherDocument };
  const press = helpers.followPresses(tools, acceptsInput);
  const text = helpers.followTexts(tools, receivesKeys, continuationOf);

  const decideKey = (target: Element, event: Event): HitResult => {
    const path = event.composedPath();
    return receivesKeys(target, path) ? { hit: 'target' } : { hit: 'other', description: describeNode(path[0]) };
  };

  const onInput = (event: Event) => {
    if (!armed || !event.isTrusted || !isRecent(armed.armedAt)) return;
    if (!eventsOf[armed.input]?.has(event.type)) return;
    const isPress = armed.input !== 'hover';
    if (!armed.result) {
      const { id, input, target, name } = armed;
      if (!target) armed.result = hitInOtherDocument(event, isPress);
      else armed.result = input === 'key' ? decideKey(target, event) : press.decide(target, name, event as MouseEvent);
      if (!armed.result) return;
      report({ id, result: armed.result });
    }
    if (!isPress) return;
    if (armed.result.hit !== 'target') stop(event);
    else if (armed.target && armed.input === 'press') press.onPart(armed, armed.target, event as MouseEvent);
  };

  const onMuted = (event: Event) => {
    if (mutedSince === null || !event.isTrusted || !isRecent(mutedSince)) return;
    if (clicks.has(event.type) || (event as KeyboardEvent).key === 'Escape') stop(event);
  };

  const onArm = (event: Event) => {
    event.stopImmediatePropagation();
    const [id, input = '', checksName] = String((event as CustomEvent).detail).split(' ');
    const target = event.composedPath()[0] as Element;
    const name = checksName === 'name' ? press.nameOf(target) : null;
    armed = expectInput(Number(id), input, target, name);
    text.reset();
    // Confirms that it is armed.
    event.preventDefault();
  };

  const onPartEnd = (event: Event) => press.onPartEnd(armed, event);
  const onText = (event: Event) => text.onText(armed, event);
  const onFocus = () => text.onFocus(armed);

  return {
    /** Adds the listeners. `document.open` removes them, so this may run again. */
    listen() {
      const options = { capture: true, passive: false };
      for (const type of [...presses, ...moves]) window.addEventListener(type, onInput, options);
      for (const type of [...keys, ...clicks]) window.addEventListener(type, onMuted, options);
      for (const type of press.pressParts) window.addEventListener(type, onPartEnd);
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
      if (armed?.id !== id) armed = expectInput(id, input, null, null);
    },

    /** Returns what an input hit in this document, or null if the interceptor is not armed for it. */
    read(id: number): HitAnswer | null {
      if (armed?.id !== id) return null;
      const result = armed.result ?? { hit: 'none' };
      return { isOfTarget: armed.target !== null, result, text: text.destination(armed) };
    },

    /** Returns what a press did that reached its target here; null in other documents. */
    press(id: number): PressAnswer | null {
      return armed?.id === id ? press.answer(armed) : null;
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

/**
 * Source of a script for an isolated world. It may run in a document more than once.
 * @param token type of the events that carry commands
 * @param binding name of the function that takes a `HitReport` as JSON
 */
export const interceptorSource = (token: string, binding: string): string =>
  `(() => { const __name = (it) => it;
if (!Object.hasOwn(globalThis, 'hitTarget')) globalThis.hitTarget = (${hitTargetInterceptor.toString()})(${JSON.stringify(token)}, ${JSON.stringify(binding)}, { expectInput: ${expectInput.toString()}, followPresses: ${followPresses.toString()}, followTexts: ${followTexts.toString()}, acceptsInput: ${receivesInput.toString()}, receivesKeys: ${receivesKeys.toString()}, continuationOf: ${continuationOf.toString()}, describe: ${describe.toString()} });
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
