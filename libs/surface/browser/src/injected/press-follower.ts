/// <reference lib="dom" />
import type { Armed, InterceptorTools } from './armed-input.ts';
import type { HitResult, PressAnswer } from './hit-result.ts';
import type { receivesInput } from './receives-input.ts';

/**
 * Checks presses and moves, and follows a press to its click. Runs in the isolated world of an interceptor. It is sent
 * as source and may use only its arguments.
 */
export function followPresses(tools: InterceptorTools, acceptsInput: typeof receivesInput) {
  const { stop, report, describeNode } = tools;
  const pressParts = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
  const completions = new Set(['click', 'auxclick', 'contextmenu']);

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
  const onPartEnd = (armed: Armed | null, event: Event) => {
    if (!armed?.target || !event.isTrusted || !armed.openParts.delete(event.type)) return;
    if (event.type.endsWith('down') && event.defaultPrevented) armed.isHandled = true;
    if (event.type !== 'pointerdown' && !isInPlace(armed.target, event as MouseEvent)) armed.hasActed = true;
  };

  /** Returns what a press did that reached its target here; null in other documents. */
  const answer = (armed: Armed): PressAnswer | null => {
    if (armed.result?.hit !== 'target') return null;
    const { clicks, hasActed, isHandled, openParts } = armed;
    return { clicks: Math.max(0, ...clicks.values()), hasActed, isHandled: isHandled || openParts.size > 0 };
  };

  return { pressParts, nameOf, decide, onPart, onPartEnd, answer };
}
