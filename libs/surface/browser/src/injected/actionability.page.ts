/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { plain } from '@pilothouse/surface-page-elements/page';
import type { ActionabilityOptions, ActionabilityResult } from './actionability-result.ts';
import { alternativeLocators } from './alternative-locators.ts';
import { describe } from './describe-element.ts';
import { armHitTarget } from './hit-target-interceptor.ts';
import { receivesInput } from './receives-input.ts';
import { scrollPointIntoView, type Alignment } from './scroll-into-view.ts';

/**
 * Checks all matches of a locator in one call. For a single match, it finds out whether and where it accepts input.
 */
export async function checkActionability(
  elements: Element[],
  { state: need, position, arm }: ActionabilityOptions,
): Promise<ActionabilityResult> {
  const [element] = elements;
  const embedded = ['iframe', 'frame', 'object', 'embed'];
  const noResult = { matches: [], problem: null, point: null, kind: null, alternatives: [] };
  const base: ActionabilityResult = { count: elements.length, ...noResult, isArmed: true, entersFrame: false };
  if (elements.length > 1) return { ...base, matches: describeDistinctly(elements.slice(0, 5)) };
  if (!element) return base;

  const native = plain(element);
  const tag = native.localName.toLowerCase();
  const type = element instanceof HTMLInputElement ? element.type : '';
  const isRichText = element instanceof HTMLElement && plain(element).isContentEditable;
  const nonTextTypes = ['button', 'checkbox', 'file', 'hidden', 'image', 'radio', 'reset', 'submit'];
  const isTextField = tag === 'input' && !nonTextTypes.includes(type);
  const editable = isTextField ? 'field' : tag === 'textarea' ? 'lines' : isRichText ? 'rich' : null;
  const multiple = (element instanceof HTMLSelectElement || element instanceof HTMLInputElement) && element.multiple;
  const saves = native.closest('a[download][href]') !== null;
  const kind = { tag, type, editable, multiple, saves } as const;
  const alternatives = () => {
    // Alternatives are optional and must not fail the check.
    try {
      return alternativeLocators(element);
    } catch {
      return [];
    }
  };
  if (need === 'attached' || need === 'visible') {
    const isArmed = !arm || armHitTarget(element, arm);
    return { ...base, kind, alternatives: alternatives(), isArmed, entersFrame: embedded.includes(tag) };
  }

  const blocked = (problem: string): ActionabilityResult => ({ ...base, kind, problem });
  const isDropTarget = need === 'point' || need === 'drop';
  // Input on a child of a button goes to the button; on a label, to its control.
  const isInputItself = native.matches('input, textarea, select') || isRichText || need !== 'input';
  const control = isInputItself
    ? null
    : (native.closest('button, [role=button], a, [role=link]') ?? native.closest('label')?.control ?? null);
  if (!isDropTarget && [element, control].some((one) => one && plain(one).matches(':disabled')))
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
    const rootOf = (one: Element | null) => one && plain(one).shadowRoot;
    for (let root = rootOf(hit); root; root = rootOf(hit)) {
      const inner = root.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  const parentOf = (node: Node): Node | null => {
    const { parentNode, assignedSlot } = plain(node as Element);
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
    if (receivesInput(element, pathFrom(hit))) return true;
    if (!(inside instanceof ShadowRoot) || hit !== inside.host) return false;
    const slotted = inside.elementsFromPoint(x, y).find((one) => plain(one).getRootNode() === inside) ?? null;
    return receivesInput(element, pathFrom(slotted));
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
  const isReached = () => point !== null && (need === 'point' || acceptsInputAt(point));
  // Another alignment helps if a sticky header covers the element.
  const alignments: Alignment[] = ['center', 'end', 'start'];
  for (const alignment of alignments) {
    if (isReached()) break;
    if (position) scrollPointIntoView(element, () => toViewport(position), alignment, plain);
    else native.scrollIntoView({ block: alignment, inline: alignment, behavior: 'instant' });
    point = bestPoint();
  }
  const blockedByCover = (at: { x: number; y: number }) => {
    const hit = hitAt(at);
    return blocked(`it is covered by ${hit ? describe(hit) : 'nothing that takes input'}`);
  };
  if (isDropTarget && !point) return blocked('it cannot be scrolled into view');
  if (isDropTarget && point)
    return isReached() ? { ...base, kind, point, alternatives: alternatives() } : blockedByCover(point);
  const geometry =
    /^(?:transform|translate|scale|rotate|offset|inset|left|top|right|bottom|width|height|margin|padding)/;
  const isAnimated = document.getAnimations().some(({ playState, effect }) => {
    if (playState !== 'running' || !(effect instanceof KeyframeEffect) || !effect.target) return false;
    if (!plain(effect.target).contains(element)) return false;
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
    isArmed: !arm || armHitTarget(element, arm),
  };
}

/** Describes elements briefly. Identical descriptions get the text around the element or its position. */
function describeDistinctly(elements: Element[]): string[] {
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
