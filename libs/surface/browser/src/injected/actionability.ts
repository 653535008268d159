import type { Locator } from '@pilothouse/contract';
import { accessibleNames } from './snapshot/accessible-names.script.ts';
import { ariaRoles } from './snapshot/aria-roles.script.ts';
import { domTree } from './snapshot/dom-tree.script.ts';
import { bringIntoView, type Alignment } from './scroll-into-view.ts';
import { armHitTarget, type ArmCommand } from './hit-target-interceptor.ts';
import { pageFunction, type PageHelpers } from './evaluate-functions.ts';
import { alternativeLocators } from './alternative-locators.ts';
import { rowOf } from './list-row.ts';
import { takes } from './receives-input.ts';

/** What an element has to be: there, visible, brought into view, uncovered for a drop, ready for input, or for a text. */
export type ActionabilityState = 'attached' | 'visible' | 'place' | 'drop' | 'input' | 'editable';

/** What kind of thing an element is, as far as input has to know. */
export interface ElementKind {
  readonly tag: string;
  /** Type of an `<input>`, lower case. */
  readonly type: string;
  readonly editable: 'field' | 'lines' | 'rich' | null;
  readonly multiple: boolean;
  /** True if a click asks for a file: then no request tells that one is on its way. */
  readonly saves: boolean;
}

/** How a look is to be. */
export interface LookFor {
  readonly need: ActionabilityState;
  /** Where input goes: CSS pixels from the top left corner inside of the border. Left out: to the middle of what is in view. */
  readonly position?: { readonly x: number; readonly y: number } | undefined;
  /** Arms the interceptor for the element once it is ready for input. */
  readonly arm?: ArmCommand | undefined;
}

/** What was seen of the elements a locator matches. */
export interface ActionabilityResult {
  readonly count: number;
  /** Up to five matches in short, only when there is more than one. */
  readonly matches: string[];
  /** Why the one match cannot be used (yet). */
  readonly problem: string | null;
  /** Where to click, in pixels of its frame. */
  readonly point: { readonly x: number; readonly y: number } | null;
  readonly kind: ElementKind | null;
  /** False: no interceptor answered. */
  readonly isArmed: boolean;
  /** True if input at the point goes into a frame that is a part of the element. */
  readonly entersFrame: boolean;
  /** Other ways to find it. */
  readonly others: Locator[];
}

/** Looks at all matches of a locator in one go; of a single one it finds out whether, and where, it takes input. */
export const checkActionability = pageFunction(
  async (elements: Element[], { need, position, arm }: LookFor, tools): Promise<ActionabilityResult> => {
    const [element] = elements;
    const embedded = ['iframe', 'frame', 'object', 'embed'];
    const nothing = { matches: [], problem: null, point: null, kind: null, others: [] };
    const seen: ActionabilityResult = { count: elements.length, ...nothing, isArmed: true, entersFrame: false };
    if (elements.length > 1) return { ...seen, matches: tools.toldApart(elements.slice(0, 5), tools) };
    if (!element) return seen;

    const own = tools.plain(element);
    const tag = own.localName.toLowerCase();
    const type = element instanceof HTMLInputElement ? element.type : '';
    const rich = element instanceof HTMLElement && tools.plain(element).isContentEditable;
    const unwritable = ['button', 'checkbox', 'file', 'hidden', 'image', 'radio', 'reset', 'submit'];
    const field = tag === 'input' && !unwritable.includes(type);
    const editable = field ? 'field' : tag === 'textarea' ? 'lines' : rich ? 'rich' : null;
    const multiple = (element instanceof HTMLSelectElement || element instanceof HTMLInputElement) && element.multiple;
    const saves = own.closest('a[download][href]') !== null;
    const kind = { tag, type, editable, multiple, saves } as const;
    const others = () => {
      /* What is only told besides must not stand in the way. */
      try {
        return tools.othersOf(element, tools);
      } catch {
        return [];
      }
    };
    if (need === 'attached' || need === 'visible') {
      const isArmed = !arm || tools.armHitTarget(element, arm);
      return { ...seen, kind, others: others(), isArmed, entersFrame: embedded.includes(tag) };
    }

    const not = (problem: string): ActionabilityResult => ({ ...seen, kind, problem });
    const isPlace = need === 'place' || need === 'drop';
    /* Input into a part of a button goes to the button, into one of a label to its field. */
    const isOwn = own.matches('input, textarea, select') || rich || need !== 'input';
    const control = isOwn
      ? null
      : (own.closest('button, [role=button], a, [role=link]') ?? own.closest('label')?.control ?? null);
    if (!isPlace && [element, control].some((one) => one && tools.plain(one).matches(':disabled')))
      return not('it is disabled');
    if (!isPlace && own.closest('[aria-disabled="true"]')) return not('it is disabled (aria-disabled)');
    const writable = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
    if (need === 'editable' && writable && element.readOnly) return not('it is read-only');
    if (need === 'editable' && own.getAttribute('aria-readonly') === 'true')
      return not('it is read-only (aria-readonly)');

    /* What is in view, which pages cannot overwrite as they can `innerWidth`. */
    const view = document.compatMode === 'BackCompat' ? document.body : document.documentElement;
    const rects = () => {
      if (getComputedStyle(element).display !== 'contents') return [...own.getClientRects()];
      const range = document.createRange();
      range.selectNodeContents(element);
      return [...range.getClientRects()];
    };
    const positioned = ({ x, y }: { x: number; y: number }) => {
      const { left, top } = own.getBoundingClientRect();
      return { x: left + own.clientLeft + x, y: top + own.clientTop + y };
    };
    /* The centre of each part of the element that is in view. */
    const points = () => {
      if (position) {
        const { x, y } = positioned(position);
        return x >= 0 && y >= 0 && x < view.clientWidth && y < view.clientHeight ? [{ x, y }] : [];
      }
      return rects().flatMap(({ left, top, right, bottom }) => {
        const [from, to] = [Math.max(left, 0), Math.min(right, view.clientWidth)];
        const [above, below] = [Math.max(top, 0), Math.min(bottom, view.clientHeight)];
        return to - from >= 0.99 && below - above >= 0.99 ? [{ x: (from + to) / 2, y: (above + below) / 2 }] : [];
      });
    };
    const hitAt = ({ x, y }: { x: number; y: number }) => {
      let hit = document.elementFromPoint(x, y);
      const rootOf = (one: Element | null) => one && tools.plain(one).shadowRoot;
      for (let root = rootOf(hit); root; root = rootOf(hit)) {
        const inner = root.elementFromPoint(x, y);
        if (!inner || inner === hit) break;
        hit = inner;
      }
      return hit;
    };
    const parentOf = (node: Node): Node | null => {
      const { parentNode, assignedSlot } = tools.plain(node as Element);
      return (assignedSlot ?? null) || parentNode || (node instanceof ShadowRoot ? node.host : null);
    };
    const pathFrom = (hit: Element | null) => {
      const path: Node[] = [];
      for (let node: Node | null = hit; node; node = parentOf(node)) path.push(node);
      return path;
    };
    /* Of text that is slotted without an element of its own the host is hit, though it shows inside of what is in its shadow root. */
    const takesAt = ({ x, y }: { x: number; y: number }) => {
      const hit = hitAt({ x, y });
      const inside = own.getRootNode();
      if (tools.takes(element, pathFrom(hit))) return true;
      if (!(inside instanceof ShadowRoot) || hit !== inside.host) return false;
      const slotted = inside.elementsFromPoint(x, y).find((one) => tools.plain(one).getRootNode() === inside) ?? null;
      return tools.takes(element, pathFrom(slotted));
    };
    /* The first point that takes input, or else the first. */
    const best = () => {
      const all = points();
      return all.find(takesAt) ?? all[0] ?? null;
    };
    const box = () => {
      const { x, y, width, height } = own.getBoundingClientRect();
      return `${x} ${y} ${width} ${height}`;
    };

    let point = best();
    const isReached = () => point !== null && (need === 'place' || takesAt(point));
    /* Under a header that stays in view another alignment helps. */
    const alignments: Alignment[] = ['center', 'end', 'start'];
    for (const alignment of alignments) {
      if (isReached()) break;
      if (position) tools.bringIntoView(element, () => positioned(position), alignment, tools.plain);
      else own.scrollIntoView({ block: alignment, inline: alignment, behavior: 'instant' });
      point = best();
    }
    const covered = (at: { x: number; y: number }) => {
      const hit = hitAt(at);
      return not(`it is covered by ${hit ? tools.describe(hit) : 'nothing that takes input'}`);
    };
    if (isPlace && !point) return not('it is outside of what can be scrolled into view');
    if (isPlace && point) return isReached() ? { ...seen, kind, point, others: others() } : covered(point);
    const geometry =
      /^(?:transform|translate|scale|rotate|offset|inset|left|top|right|bottom|width|height|margin|padding)/;
    const animated = document.getAnimations().some(({ playState, effect }) => {
      if (playState !== 'running' || !(effect instanceof KeyframeEffect) || !effect.target) return false;
      if (!tools.plain(effect.target).contains(element)) return false;
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
    if (!own.isConnected) return not('it was taken off the page');
    if (box() !== before) return not('it is moving');
    point = best();
    if (!point) return not('it is outside of what can be scrolled into view');
    /* What has the focus takes keys, whatever lies over it: code editors hide their field. */
    const root = own.getRootNode();
    const isFocused = (root instanceof Document || root instanceof ShadowRoot) && root.activeElement === element;
    const hit = hitAt(point);
    const editor = own.closest('.monaco-editor, .CodeMirror, .ace_editor');
    const isWritable = isFocused || (editor !== null && editor.contains(hit));
    if (!takesAt(point) && !(need === 'editable' && isWritable)) return covered(point);
    const told = others();
    const entersFrame = hit !== null && embedded.includes(hit.localName);
    return { ...seen, kind, point, others: told, entersFrame, isArmed: !arm || tools.armHitTarget(element, arm) };
  },
  {
    tree: domTree,
    roles: ariaRoles,
    names: accessibleNames,
    othersOf: alternativeLocators,
    rowOf,
    toldApart,
    takes,
    bringIntoView,
    armHitTarget,
  },
);

/** Elements in short; those that look the same with what is around them and only them. */
function toldApart(elements: Element[], { describe, plain }: Pick<PageHelpers, 'describe' | 'plain'>): string[] {
  const short = elements.map((one) => describe(one));
  return elements.map((one, index) => {
    const own = short[index] ?? '';
    if (short.filter((other) => other === own).length === 1) return own;
    const parentOf = (of: Element) => plain(of).parentElement;
    const isOnlyAround = (up: Element) => elements.every((other) => other === one || !plain(up).contains(other));
    let around: Element = one;
    for (let up = parentOf(one); up && isOnlyAround(up); up = parentOf(up)) around = up;
    const text = (plain(around).textContent ?? '').replace(/\s+/g, ' ').trim();
    const { x, y } = plain(one).getBoundingClientRect();
    const said = around === one || text === '' ? `at ${Math.round(x)}, ${Math.round(y)}` : `in “${text.slice(0, 60)}”`;
    return `${own} ${said}`;
  });
}
