import type { Locator } from '@pilothouse/contract';
import { names } from '../elements/page/names.ts';
import { roles } from '../elements/page/roles.ts';
import { tree } from '../elements/page/tree.ts';
import { inPage } from './in-page.ts';
import { othersOf } from './others.ts';

/** What an element has to be: there, visible, brought into view, ready for input, or for a text. */
export type Need = 'attached' | 'visible' | 'place' | 'input' | 'editable';

/** What kind of thing an element is, as far as input has to know. */
export interface Kind {
  readonly tag: string;
  /** Type of an `<input>`, lower case. */
  readonly type: string;
  readonly editable: 'field' | 'lines' | 'rich' | null;
  readonly multiple: boolean;
  /** Whether a click asks for a file: then no request tells that one is on its way. */
  readonly saves: boolean;
}

/** What was seen of the elements a locator matches. */
export interface Look {
  readonly count: number;
  /** Up to five matches in short, only when there is more than one. */
  readonly matches: string[];
  /** Why the one match cannot be used (yet). */
  readonly problem: string | null;
  /** Where to click, in pixels of its frame. */
  readonly point: { readonly x: number; readonly y: number } | null;
  readonly kind: Kind | null;
  /** Other ways to find it. */
  readonly others: Locator[];
}

/** Looks at all matches of a locator in one go; of a single one it finds out whether, and where, it takes input. */
export const look = inPage(
  async (elements: Element[], need: Need, tools): Promise<Look> => {
    const [element] = elements;
    const seen: Look = { count: elements.length, matches: [], problem: null, point: null, kind: null, others: [] };
    if (elements.length > 1) return { ...seen, matches: tools.toldApart(elements.slice(0, 5), tools) };
    if (!element) return seen;

    const tag = element.tagName.toLowerCase();
    const type = element instanceof HTMLInputElement ? element.type : '';
    const rich = element instanceof HTMLElement && element.isContentEditable;
    const unwritable = ['button', 'checkbox', 'file', 'hidden', 'image', 'radio', 'reset', 'submit'];
    const field = tag === 'input' && !unwritable.includes(type);
    const editable = field ? 'field' : tag === 'textarea' ? 'lines' : rich ? 'rich' : null;
    const multiple = (element instanceof HTMLSelectElement || element instanceof HTMLInputElement) && element.multiple;
    const saves = element.closest('a[download][href]') !== null;
    const kind = { tag, type, editable, multiple, saves } as const;
    const others = () => {
      /* What is only told besides must not stand in the way. */
      try {
        return tools.othersOf(element, tools);
      } catch {
        return [];
      }
    };
    if (need === 'attached' || need === 'visible') return { ...seen, kind, others: others() };

    const not = (problem: string): Look => ({ ...seen, kind, problem });
    const isPlace = need === 'place';
    if (!isPlace && element.matches(':disabled')) return not('it is disabled');
    if (!isPlace && element.closest('[aria-disabled="true"]')) return not('it is disabled (aria-disabled)');
    const writable = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
    if (need === 'editable' && writable && element.readOnly) return not('it is read-only');
    if (need === 'editable' && element.getAttribute('aria-readonly') === 'true')
      return not('it is read-only (aria-readonly)');

    /* The centre of the first part of the element that is in view. */
    const centre = () => {
      for (const { left, top, right, bottom } of element.getClientRects()) {
        const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
        const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
        const inView =
          Math.min(right, innerWidth) - Math.max(left, 0) >= 1 && Math.min(bottom, innerHeight) - Math.max(top, 0) >= 1;
        if (inView) return { x, y };
      }
      return null;
    };
    const hitAt = ({ x, y }: { x: number; y: number }) => {
      let hit = document.elementFromPoint(x, y);
      for (let inner = hit; inner?.shadowRoot;) {
        inner = inner.shadowRoot.elementFromPoint(x, y);
        if (!inner || inner === hit) break;
        hit = inner;
      }
      return hit;
    };
    const parentOf = (node: Node): Node | null =>
      (node instanceof Element && node.assignedSlot) ||
      node.parentNode ||
      (node instanceof ShadowRoot ? node.host : null);
    const takes = (hit: Element | null) => {
      for (let node: Node | null = hit; node; node = parentOf(node)) {
        if (node === element) return true;
        if (node instanceof HTMLLabelElement && node.control === element) return true;
      }
      return false;
    };
    /* Of text that is slotted without an element of its own the host is hit, though it shows inside of what is in its shadow root. */
    const takesAt = (hit: Element | null, { x, y }: { x: number; y: number }) => {
      const inside = element.getRootNode();
      if (takes(hit)) return true;
      if (!(inside instanceof ShadowRoot) || hit !== inside.host) return false;
      return takes(inside.elementsFromPoint(x, y).find((one) => one.getRootNode() === inside) ?? null);
    };
    const box = () => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return `${x} ${y} ${width} ${height}`;
    };

    let point = centre();
    if (!point || (!isPlace && !takesAt(hitAt(point), point))) {
      element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      point = centre();
    }
    if (isPlace)
      return point
        ? { ...seen, kind, point, others: others() }
        : not('it is outside of what can be scrolled into view');
    const geometry =
      /^(?:transform|translate|scale|rotate|offset|inset|left|top|right|bottom|width|height|margin|padding)/;
    const animated = document.getAnimations().some(({ playState, effect }) => {
      if (playState !== 'running' || !(effect instanceof KeyframeEffect) || !effect.target?.contains(element))
        return false;
      return effect.getKeyframes().some((frame) => Object.keys(frame).some((property) => geometry.test(property)));
    });
    if (animated) return not('it is moving (an animation)');
    /* One frame is enough for what a script moves: its callback runs before ours, as it asked for the frame earlier. */
    const before = box();
    await new Promise<void>((resolve) => {
      /* A page that is not painted has no frames. */
      const timer = setTimeout(resolve, 100);
      requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    if (!element.isConnected) return not('it was taken off the page');
    if (box() !== before) return not('it is moving');
    point = centre();
    if (!point) return not('it is outside of what can be scrolled into view');
    const hit = hitAt(point);
    /* What has the focus takes keys, whatever lies over it: code editors hide their field. */
    const root = element.getRootNode();
    const isFocused = (root instanceof Document || root instanceof ShadowRoot) && root.activeElement === element;
    if (!takesAt(hit, point) && !(need === 'editable' && isFocused))
      return not(`it is covered by ${hit ? tools.describe(hit) : 'nothing that takes input'}`);
    return { ...seen, kind, point, others: others() };
  },
  { tree, roles, names, othersOf, toldApart },
);

/** Elements in short; those that look the same with what is around them and only them. */
function toldApart(elements: Element[], { describe }: { describe(element: Element): string }): string[] {
  const short = elements.map((one) => describe(one));
  return elements.map((one, index) => {
    const own = short[index] ?? '';
    if (short.filter((other) => other === own).length === 1) return own;
    let around: Element = one;
    for (
      let up = one.parentElement;
      up && elements.every((other) => other === one || !up?.contains(other));
      up = up.parentElement
    )
      around = up;
    const text = (around.textContent ?? '').replace(/\s+/g, ' ').trim();
    const { x, y } = one.getBoundingClientRect();
    const said = around === one || text === '' ? `at ${Math.round(x)}, ${Math.round(y)}` : `in “${text.slice(0, 60)}”`;
    return `${own} ${said}`;
  });
}
