/// <reference lib="dom" />
import { describe } from './describe.ts';
import { inPage } from './in-page.ts';
import { takes } from './takes.ts';

/** Kind of pointer input: presses are stopped when they would hit another element, moves are only reported. */
export type PointerInput = 'press' | 'hover';

/** Element that the input hit. */
export type HitResult =
  | { readonly hit: 'target' }
  /** Another one. A press was stopped: no listener of the page got it. */
  | { readonly hit: 'other'; readonly description: string }
  /** The target, but its name has changed since the interceptor was armed. The press was stopped. */
  | { readonly hit: 'renamed' }
  /** No trusted event came to this document. */
  | { readonly hit: 'none' }
  /** The document was replaced. */
  | { readonly hit: 'gone' };

/** Commands are events with this text as detail, for example `arm 7 press name`. */
export interface ArmCommand {
  /** Type of the events that carry commands. The page does not know it. */
  readonly token: string;
  readonly id: number;
  readonly input: PointerInput;
  /** Whether a press on an element whose name has changed meanwhile is stopped. */
  readonly checksName: boolean;
}

type Takes = typeof takes;
type Describe = typeof describe;

/**
 * Runs in an isolated world of each document, before the scripts of the page: those cannot see or replace it, and its listeners come
 * first. A command arms it for the element that the event is dispatched on.
 */
function hitTargetInterceptor(token: string, binding: string, takes: Takes, describe: Describe) {
  const presses = new Set('pointerdown mousedown pointerup mouseup click auxclick dblclick contextmenu'.split(' '));
  const moves = new Set(['pointermove', 'mousemove']);
  /** Milliseconds after which the result is no longer awaited. */
  const EXPIRY_MS = 30_000;
  interface Armed {
    readonly id: string;
    readonly input: string;
    readonly target: Element;
    readonly name: string | null;
    readonly since: number;
    result: HitResult | null;
  }
  let armed: Armed | null = null;

  /** Everything that the accessible name of an element is made of. */
  const nameOf = (element: Element): string => {
    const attributes = ['aria-label', 'aria-labelledby', 'title', 'alt', 'value', 'placeholder'];
    const isButton = element.matches('input[type=submit], input[type=button], input[type=reset]');
    const value = isButton ? (element as HTMLInputElement).value : '';
    return [...attributes.map((name) => element.getAttribute(name) ?? ''), value, element.textContent ?? ''].join('\n');
  };

  const decide = ({ target, name }: Armed, event: MouseEvent): HitResult => {
    const path = event.composedPath();
    const hit = path[0] as Element;
    /* Text that is slotted without an element of its own hits the host, though it shows inside of the shadow root. */
    const root = target.getRootNode();
    const inside =
      root instanceof ShadowRoot && hit === root.host
        ? root.elementsFromPoint(event.clientX, event.clientY).filter((one) => one.getRootNode() === root)
        : [];
    const isSlotted = inside[0] !== undefined && (inside[0] === target || target.contains(inside[0]));
    if (!takes(target, path) && !isSlotted)
      return { hit: 'other', description: 'localName' in hit ? describe(hit) : 'the page' };
    return name !== null && nameOf(target) !== name ? { hit: 'renamed' } : { hit: 'target' };
  };

  const onInput = (event: Event) => {
    if (!armed || !event.isTrusted || performance.now() - armed.since > EXPIRY_MS) return;
    const isPress = presses.has(event.type);
    if (isPress !== (armed.input === 'press')) return;
    if (!armed.result) {
      armed.result = decide(armed, event as MouseEvent);
      (globalThis as unknown as Record<string, (report: string) => void>)[binding]?.(
        JSON.stringify({ id: Number(armed.id), result: armed.result }),
      );
    }
    if (!isPress || armed.result.hit === 'target') return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  const onCommand = (event: Event) => {
    event.stopImmediatePropagation();
    const [command, id = '', input = '', checksName] = String((event as CustomEvent).detail).split(' ');
    const target = event.composedPath()[0] as Element;
    if (command === 'arm') {
      const name = checksName === 'name' ? nameOf(target) : null;
      armed = { id, input, target, name, since: performance.now(), result: null };
      /* Says that it is armed. */
      event.preventDefault();
      return;
    }
    const result: HitResult = armed?.id === id ? (armed.result ?? { hit: 'none' }) : { hit: 'gone' };
    if (command === 'stop' && armed?.id === id) armed = null;
    target.dispatchEvent(new CustomEvent(`${token}-result`, { detail: JSON.stringify(result) }));
  };

  return {
    /** Adds the listeners. `document.open` takes them away, so this may come again. */
    listen() {
      const options = { capture: true, passive: false };
      for (const type of [...presses, ...moves]) window.addEventListener(type, onInput, options);
      window.addEventListener(token, onCommand, options);
    },
  };
}

/** What an interceptor reports at the first event of an input. */
export interface HitReport {
  readonly id: number;
  readonly result: HitResult;
}

/**
 * Text of a script for an isolated world. It may run in a document more than once.
 * @param token type of the events that carry commands
 * @param binding name of the function that takes a `HitReport` as JSON
 */
export const interceptorSource = (token: string, binding: string): string =>
  `(() => { const __name = (it) => it;
(globalThis.hitTarget ??= (${hitTargetInterceptor.toString()})(${JSON.stringify(token)}, ${JSON.stringify(binding)}, ${takes.toString()}, ${describe.toString()})).listen(); })();`;

/** Arms the interceptor for an element. Runs in the page. @returns false where none answers */
export function armHitTarget(element: Element, { token, id, input, checksName }: ArmCommand): boolean {
  const detail = `arm ${id} ${input} ${checksName ? 'name' : ''}`;
  return !element.dispatchEvent(new CustomEvent(token, { detail, composed: true, cancelable: true }));
}

/** Asks what the input hit. Runs in the page. @returns null where none answers */
export const askHitTarget = inPage(
  ([root]: Element[], { token, command }: { token: string; command: string }): string | null => {
    let answer: string | null = null;
    const target: EventTarget = root ?? document;
    const onResult = (event: Event) => {
      event.stopImmediatePropagation();
      answer = String((event as CustomEvent).detail);
    };
    target.addEventListener(`${token}-result`, onResult, { once: true });
    target.dispatchEvent(new CustomEvent(token, { detail: command, composed: true }));
    target.removeEventListener(`${token}-result`, onResult);
    return answer;
  },
);
