import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { accessibleNames, ariaRoles, domTree } from '@pilothouse/surface-page-elements';
import { scrollPointIntoView, type Alignment } from './scroll-into-view.ts';
import { armHitTarget, type ArmCommand } from './hit-target-interceptor.ts';
import { pageFunction, type PageHelpers } from './evaluate-functions.ts';
import { alternativeLocators } from './alternative-locators.ts';
import { rowOf } from './list-row.ts';
import { receivesInput } from './receives-input.ts';

/**
 * Required state of an element: attached, visible, scrolled into view, uncovered for a drop, or ready for input or
 * text.
 */
export type ActionabilityState = 'attached' | 'visible' | 'place' | 'drop' | 'input' | 'editable';

/** Properties of an element that input depends on. */
export interface ElementKind {
  readonly tag: string;
  /** Type of an `<input>` in lower case. */
  readonly type: string;
  readonly editable: 'field' | 'lines' | 'rich' | null;
  readonly multiple: boolean;
  /** True if a click starts a download without a request. */
  readonly saves: boolean;
}

/** Options of an actionability check. */
export interface ActionabilityOptions {
  readonly state: ActionabilityState;
  /** Offset in CSS pixels from the top left corner inside the border. Default: the center of the visible part. */
  readonly position?: { readonly x: number; readonly y: number } | undefined;
  /** Arms the interceptor once the element is ready for input. */
  readonly arm?: ArmCommand | undefined;
}

/** State of the elements that a locator matches. */
export interface ActionabilityResult {
  readonly count: number;
  /** Descriptions of up to five matches, only if there is more than one. */
  readonly matches: string[];
  /** Reason why the single match cannot be used, possibly only for now. */
  readonly problem: string | null;
  /** Click point in pixels of its frame. */
  readonly point: { readonly x: number; readonly y: number } | null;
  readonly kind: ElementKind | null;
  /** False if no interceptor answered. */
  readonly isArmed: boolean;
  /** True if input at the point enters a frame that is part of the element. */
  readonly entersFrame: boolean;
  /** Alternative locators of the element. */
  readonly alternatives: Locator[];
}

/**
 * Checks all matches of a locator in one call. For a single match, it finds out whether and where it accepts input.
 */
export const checkActionability = pageFunction(
  async (
    elements: Element[],
    { state: need, position, arm }: ActionabilityOptions,
    tools,
  ): Promise<ActionabilityResult> => {
    const [element] = elements;
    const embedded = ['iframe', 'frame', 'object', 'embed'];
    const noResult = { matches: [], problem: null, point: null, kind: null, alternatives: [] };
    const base: ActionabilityResult = { count: elements.length, ...noResult, isArmed: true, entersFrame: false };
    if (elements.length > 1) return { ...base, matches: tools.describeDistinctly(elements.slice(0, 5), tools) };
    if (!element) return base;

    const native = tools.plain(element);
    const tag = native.localName.toLowerCase();
    const type = element instanceof HTMLInputElement ? element.type : '';
    const isRichText = element instanceof HTMLElement && tools.plain(element).isContentEditable;
    const nonTextTypes = ['button', 'checkbox', 'file', 'hidden', 'image', 'radio', 'reset', 'submit'];
    const isTextField = tag === 'input' && !nonTextTypes.includes(type);
    const editable = isTextField ? 'field' : tag === 'textarea' ? 'lines' : isRichText ? 'rich' : null;
    const multiple = (element instanceof HTMLSelectElement || element instanceof HTMLInputElement) && element.multiple;
    const saves = native.closest('a[download][href]') !== null;
    const kind = { tag, type, editable, multiple, saves } as const;
    const alternatives = () => {
      // Alternatives are optional and must not fail the check.
      try {
        return tools.alternativesOf(element, tools);
      } catch {
        return [];
      }
    };
    if (need === 'attached' || need === 'visible') {
      const isArmed = !arm || tools.armHitTarget(element, arm);
      return { ...base, kind, alternatives: alternatives(), isArmed, entersFrame: embedded.includes(tag) };
    }

    const blocked = (problem: string): ActionabilityResult => ({ ...base, kind, problem });
    const isDropTarget = need === 'place' || need === 'drop';
    // Input on a child of a button goes to the button; on a label, to its control.
    const isInputItself = native.matches('input, textarea, select') || isRichText || need !== 'input';
    const control = isInputItself
      ? null
      : (native.closest('button, [role=button], a, [role=link]') ?? native.closest('label')?.control ?? null);
    if (!isDropTarget && [element, control].some((one) => one && tools.plain(one).matches(':disabled')))
      return blocked('it is disabled');
    if (!isDropTarget && native.closest('[aria-disabled="true"]')) return blocked('it is disabled (aria-disabled)');
    const isTextControl = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
    if (need === 'editable' && isTextControl && element.readOnly) return blocked('it is read-only');
    if (need === 'editable' && native.getAttribute('aria-readonly') === 'true')
      return blocked('it is read-only (aria-readonly)');

    // Size of the viewport. Pages can overwrite `innerWidth`, but not this.
    const view = document.compatMode === 'BackCompat' ? document.body : document.documentElement;
    const rects = () => {
      if (getComputedStyle(element).display !== 'contents') return [...native.getClientRects()];
      const range = document.createRange();
      range.selectNodeContents(element);
      return [...range.getClientRects()];
    };
    const toViewport = ({ x, y }: { x: number; y: number }) => {
      const { left, top } = native.getBoundingClientRect();
      return { x: left + native.clientLeft + x, y: top + native.clientTop + y };
    };
    // The center of each visible part of the element.
    const points = () => {
      if (position) {
        const { x, y } = toViewport(position);
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
    // Slotted text without a separate element hits the host, although it is rendered inside the shadow root.
    const acceptsInputAt = ({ x, y }: { x: number; y: number }) => {
      const hit = hitAt({ x, y });
      const inside = native.getRootNode();
      if (tools.receivesInput(element, pathFrom(hit))) return true;
      if (!(inside instanceof ShadowRoot) || hit !== inside.host) return false;
      const slotted = inside.elementsFromPoint(x, y).find((one) => tools.plain(one).getRootNode() === inside) ?? null;
      return tools.receivesInput(element, pathFrom(slotted));
    };
    // The first point that accepts input, otherwise the first point.
    const bestPoint = () => {
      const all = points();
      return all.find(acceptsInputAt) ?? all[0] ?? null;
    };
    const boxKey = () => {
      const { x, y, width, height } = native.getBoundingClientRect();
      return `${x} ${y} ${width} ${height}`;
    };

    let point = bestPoint();
    const isReached = () => point !== null && (need === 'place' || acceptsInputAt(point));
    // Another alignment helps if a sticky header covers the element.
    const alignments: Alignment[] = ['center', 'end', 'start'];
    for (const alignment of alignments) {
      if (isReached()) break;
      if (position) tools.bringIntoView(element, () => toViewport(position), alignment, tools.plain);
      else native.scrollIntoView({ block: alignment, inline: alignment, behavior: 'instant' });
      point = bestPoint();
    }
    const blockedByCover = (at: { x: number; y: number }) => {
      const hit = hitAt(at);
      return blocked(`it is covered by ${hit ? tools.describe(hit) : 'nothing that takes input'}`);
    };
    if (isDropTarget && !point) return blocked('it cannot be scrolled into view');
    if (isDropTarget && point)
      return isReached() ? { ...base, kind, point, alternatives: alternatives() } : blockedByCover(point);
    const geometry =
      /^(?:transform|translate|scale|rotate|offset|inset|left|top|right|bottom|width|height|margin|padding)/;
    const isAnimated = document.getAnimations().some(({ playState, effect }) => {
      if (playState !== 'running' || !(effect instanceof KeyframeEffect) || !effect.target) return false;
      if (!tools.plain(effect.target).contains(element)) return false;
      return effect.getKeyframes().some((frame) => Object.keys(frame).some((property) => geometry.test(property)));
    });
    if (isAnimated) return blocked('it is moving (an animation)');
    // One frame is enough for script-driven movement: the script requested its frame earlier, so its callback runs
    // first.
    const before = boxKey();
    await new Promise<void>((resolve) => {
      // A page that is not painted has no animation frames.
      const timer = setTimeout(resolve, 100);
      requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    if (!native.isConnected) return blocked('it was removed from the page');
    if (boxKey() !== before) return blocked('it is moving');
    point = bestPoint();
    if (!point) return blocked('it cannot be scrolled into view');
    // The focused element receives keys even if it is covered: code editors hide their input field.
    const root = native.getRootNode();
    const isFocused = (root instanceof Document || root instanceof ShadowRoot) && root.activeElement === element;
    const hit = hitAt(point);
    const editor = native.closest('.monaco-editor, .CodeMirror, .ace_editor');
    const canTypeCovered = isFocused || (editor !== null && editor.contains(hit));
    if (!acceptsInputAt(point) && !(need === 'editable' && canTypeCovered)) return blockedByCover(point);
    const alternativeList = alternatives();
    const entersFrame = hit !== null && embedded.includes(hit.localName);
    return {
      ...base,
      kind,
      point,
      alternatives: alternativeList,
      entersFrame,
      isArmed: !arm || tools.armHitTarget(element, arm),
    };
  },
  {
    tree: domTree,
    roles: ariaRoles,
    names: accessibleNames,
    alternativesOf: alternativeLocators,
    rowOf,
    describeDistinctly,
    receivesInput,
    bringIntoView: scrollPointIntoView,
    armHitTarget,
  },
);

/** Describes elements briefly. Identical descriptions get the text around the element or its position. */
function describeDistinctly(
  elements: Element[],
  { describe, plain }: Pick<PageHelpers, 'describe' | 'plain'>,
): string[] {
  const short = elements.map((one) => describe(one));
  return elements.map((one, index) => {
    const description = short[index] ?? '';
    if (short.filter((text) => text === description).length === 1) return description;
    const parentOf = (node: Element) => plain(node).parentElement;
    const isOnlyAround = (up: Element) => elements.every((element) => element === one || !plain(up).contains(element));
    let ancestor: Element = one;
    for (let up = parentOf(one); up && isOnlyAround(up); up = parentOf(up)) ancestor = up;
    const text = (plain(ancestor).textContent ?? '').replace(/\s+/g, ' ').trim();
    const { x, y } = plain(one).getBoundingClientRect();
    const context =
      ancestor === one || text === '' ? `at ${Math.round(x)}, ${Math.round(y)}` : `in “${text.slice(0, 60)}”`;
    return `${description} ${context}`;
  });
}
