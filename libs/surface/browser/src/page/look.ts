import { inPage } from './in-page.ts';

/** What an element has to be: there, visible, or ready for input. */
export type Need = 'attached' | 'visible' | 'input' | 'editable';

/** What kind of thing an element is, as far as input has to know. */
export interface Kind {
  readonly tag: string;
  /** Type of an `<input>`, lower case. */
  readonly type: string;
  readonly editable: 'field' | 'lines' | 'rich' | null;
  readonly multiple: boolean;
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
}

/** Looks at all matches of a locator in one go; of a single one it finds out whether, and where, it takes input. */
export const look = inPage(async (elements: Element[], need: Need, tools): Promise<Look> => {
  const [element] = elements;
  const seen: Look = { count: elements.length, matches: [], problem: null, point: null, kind: null };
  if (elements.length > 1) return { ...seen, matches: elements.slice(0, 5).map((one) => tools.describe(one)) };
  if (!element) return seen;

  const tag = element.tagName.toLowerCase();
  const type = element instanceof HTMLInputElement ? element.type : '';
  const rich = element instanceof HTMLElement && element.isContentEditable;
  const unwritable = ['button', 'checkbox', 'color', 'file', 'hidden', 'image', 'radio', 'range', 'reset', 'submit'];
  const field = tag === 'input' && !unwritable.includes(type);
  const editable = field ? 'field' : tag === 'textarea' ? 'lines' : rich ? 'rich' : null;
  const multiple = (element instanceof HTMLSelectElement || element instanceof HTMLInputElement) && element.multiple;
  const kind = { tag, type, editable, multiple } as const;
  if (need === 'attached' || need === 'visible') return { ...seen, kind };

  const not = (problem: string): Look => ({ ...seen, kind, problem });
  if (element.matches(':disabled')) return not('it is disabled');
  if (element.closest('[aria-disabled="true"]')) return not('it is disabled (aria-disabled)');
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
  const box = () => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return `${x} ${y} ${width} ${height}`;
  };

  let point = centre();
  if (!point || !takes(hitAt(point))) {
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    point = centre();
  }
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
  if (!takes(hit)) return not(`it is covered by ${hit ? tools.describe(hit) : 'nothing that takes input'}`);
  return { ...seen, kind, point };
});
