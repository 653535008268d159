/// <reference lib="dom" />
import type { Bounds } from '@pilothouse/contract/observation/observation.schema';
import type { Snapshot, SnapshotElement, SnapshotFrame, SnapshotOptions } from './snapshot-result.ts';
import type { ClickPoints } from './click-points.ts';
import type { ElementRegistry } from './element-registry.ts';
import type { LoadingState } from './loading-state.ts';
import type { ElementFacts } from './element-facts.ts';
import type { InputDestinations } from './input-destinations.ts';
import type { AccessibleNames } from './accessible-names.ts';
import type { AriaRoles } from './aria-roles.ts';
import type { FrameViewport } from './visibility.ts';
import type { DomTree } from './dom-tree.ts';
import type { DomWalk } from './dom-walk.ts';
import type { Candidate } from './walk-result.ts';
import { plain } from './native-properties.ts';

/** Functions of the other snapshot scripts. */
export interface SnapshotScripts {
  readonly tree: DomTree;
  readonly roles: AriaRoles;
  readonly names: AccessibleNames;
  readonly facts: ElementFacts;
  readonly destinations: InputDestinations;
  readonly walk: DomWalk;
  readonly registry: ElementRegistry;
  readonly clickPoints: ClickPoints;
  readonly loadingState: LoadingState;
}

/** Takes snapshots of the page. Lives as long as the document. */
export function elementSnapshot({
  tree,
  roles,
  names,
  facts,
  destinations,
  walk,
  registry,
  clickPoints,
  loadingState,
}: SnapshotScripts) {
  /** Maximum length of a text. */
  const MAX_TEXT_CHARS = 1000;
  const checkedHosts = new WeakSet<Element>();
  const { idOf, elementOf } = registry;

  const toBounds = (
    { x, y, scale }: FrameViewport,
    box: { left: number; top: number; right: number; bottom: number },
  ): Bounds => ({
    x: Math.round(x + box.left * scale),
    y: Math.round(y + box.top * scale),
    width: Math.round((box.right - box.left) * scale),
    height: Math.round((box.bottom - box.top) * scale),
  });

  const focusOf = (root: Document): Element | null => {
    let active: Element | null = root.activeElement;
    while (active) {
      const inner: Element | null = tree.rootOf(active)?.activeElement ?? inFrame(active);
      if (!inner) break;
      active = inner;
    }
    return active && active.localName !== 'body' ? active : null;
  };
  const inFrame = (element: Element): Element | null => {
    if (element.localName !== 'iframe') return null;
    try {
      return (element as HTMLIFrameElement).contentDocument?.activeElement ?? null;
    } catch {
      return null;
    }
  };

  const nameFor = ({ kind, element, role, text }: Candidate) => {
    const full = kind === 'text' ? names.tidy(text.join('')) : names.nameOf(element, role);
    const max = kind === 'text' ? MAX_TEXT_CHARS : names.MAX_NAME_CHARS;
    return full.length > max ? { name: full.slice(0, max), length: full.length } : { name: full };
  };

  const entryOf = (candidate: Candidate, point: { x: number; y: number }, focused: Element | null): SnapshotElement => {
    const { element, role, viewport, rect, kind, proxy } = candidate;
    const interactive = kind !== 'text';
    const nameFields = nameFor(candidate);
    const fallbackName = interactive && !nameFields.name ? names.fallbackNameOf(element) : '';
    const context = interactive && !nameFields.name ? names.contextOf(element) : '';
    const value = interactive ? facts.valueOf(element, role) : undefined;
    const address = viewport.outer ? viewport.document.URL : '';
    const linkUrl = interactive || element.localName === 'img' ? destinations.linkUrlOf(element) : undefined;
    const sends = interactive ? destinations.formDestinationsOf(element) : undefined;
    const submitButton = interactive ? destinations.submitButtonOf(element) : undefined;
    return {
      id: idOf(element),
      interactive,
      role,
      ...nameFields,
      ...(fallbackName && { fallbackName }),
      ...(context && { context }),
      ...(value !== undefined && {
        value:
          value.length > MAX_TEXT_CHARS ? `${value.slice(0, MAX_TEXT_CHARS)}… (${value.length} characters)` : value,
      }),
      ...(interactive && facts.isSecret(element) && { secret: true as const }),
      state: interactive ? facts.stateOf(element, role, element === focused) : {},
      tags: interactive ? facts.tagsOf(element, role, nameFields.name, fallbackName) : [],
      bounds: toBounds(viewport, rect),
      point: { x: viewport.x + point.x * viewport.scale, y: viewport.y + point.y * viewport.scale },
      ...(proxy && { isBehindLabel: true as const }),
      ...(facts.isOrWasPasswordField(element) && { isPasswordField: true as const }),
      ...(linkUrl !== undefined && { linkUrl }),
      ...(sends !== undefined && { formDestinations: sends }),
      ...(submitButton !== undefined && { submitButton }),
      ...(address && { frame: address.slice(0, 300) }),
    };
  };

  /** Returns the focused element that is not in the list, such as the hidden field of an editor. */
  const focusOutsideList = (element: Element, top: FrameViewport): SnapshotElement | 'frame' => {
    const opaque = element.localName === 'iframe' || element.localName === 'frame';
    if (opaque) return 'frame';
    const role = roles.widget(element) ?? roles.roleOf(element);
    const view = plain(element);
    const viewport = { ...top, document: view.ownerDocument };
    const rect = view.getBoundingClientRect();
    return entryOf({ element, role, viewport, rect, kind: 'sure', proxy: null, text: [] }, { x: 0, y: 0 }, element);
  };

  const takeSnapshot = ({ level, view }: SnapshotOptions): Snapshot => {
    const { scrollingElement } = document;
    const limits = view ?? { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const top: FrameViewport = { document, frameElement: null, outer: null, x: 0, y: 0, scale: 1, ...limits };
    const walkResult = walk(top, level);
    const interactiveElements = new Set(
      walkResult.candidates.filter(({ kind }) => kind === 'sure').map(({ element }) => element),
    );
    const focused = focusOf(document);
    const entries: { element: Element; entry: SnapshotElement; candidate: Candidate }[] = [];
    for (const candidate of walkResult.candidates) {
      if (candidate.kind === 'likely' && containsAny(candidate.element, interactiveElements)) continue;
      const point = clickPoints.pointOf(candidate, interactiveElements);
      if (!point) continue;
      const entry = entryOf(candidate, point, focused);
      if (candidate.kind === 'text' && !entry.name) continue;
      entries.push({ element: candidate.element, entry, candidate });
    }
    const frames = walkResult.opaque.map(({ element, viewport, previous }): SnapshotFrame => {
      const position = previous ? walkResult.candidates.indexOf(previous) : -1;
      const insertIndex = entries.filter(
        ({ candidate }) => walkResult.candidates.indexOf(candidate) <= position,
      ).length;
      const rect = element.getBoundingClientRect();
      return {
        id: idOf(element),
        insertIndex,
        name: names.nameOf(element, 'frame') || element.getAttribute('name') || element.getAttribute('src') || '',
        bounds: toBounds(viewport.outer ?? top, rect),
        x: viewport.x,
        y: viewport.y,
        scale: viewport.scale,
        view: { left: viewport.left, top: viewport.top, right: viewport.right, bottom: viewport.bottom },
      };
    });
    const isListed = entries.some(({ element }) => element === focused);
    const height = scrollingElement?.scrollHeight ?? innerHeight;
    const above = Math.max(0, Math.round(scrollY));
    return {
      url: document.URL,
      title: document.title,
      loading: document.readyState !== 'complete',
      busy: loadingState.isBusy(
        limits,
        entries.map(({ entry }) => entry),
      ),
      viewport: { width: innerWidth, height: innerHeight },
      scroll: { above, below: Math.max(0, Math.round(height - innerHeight - above)) },
      elements: entries.map(({ entry }) => entry),
      ...(!isListed && { focus: focused && focusOutsideList(focused, top) }),
      frames,
      opaqueRegions: walkResult.opaqueRegions.map(({ kind, element, viewport }) => ({
        kind,
        name: names.nameOf(element, 'canvas') || names.fallbackNameOf(element),
        bounds: toBounds(viewport, element.getBoundingClientRect()),
      })),
      hosts: walkResult.hosts
        .filter((host) => !checkedHosts.has(host))
        .slice(0, 20)
        .map(idOf),
      texts: walkResult.texts.map(names.tidy).filter(Boolean),
    };
  };

  /** True if it contains one of these elements. */
  const containsAny = (element: Element, inner: ReadonlySet<Element>): boolean => {
    let hit = false;
    tree.forEachElement(element, (node) => {
      hit ||= inner.has(node) || containsAny(node, inner);
    });
    return hit;
  };

  /**
   * Passes an element to the listener of an event.
   * @returns true if a listener took it; `closed` if it is in a closed shadow root
   */
  const dispatchTo = (id: number, event: string): boolean | 'closed' => {
    const element = elementOf(id);
    if (element && tree.isInClosed(element)) return 'closed';
    if (!element) return false;
    return !plain(element).dispatchEvent(new Event(event, { composed: true, cancelable: true }));
  };

  const hostElement = (id: number): Element | null => {
    const element = elementOf(id);
    if (element) checkedHosts.add(element);
    return element;
  };

  /** Registers a closed shadow root, or an element in one with a listener. */
  const registerNode = (node: Node): void => {
    if (node.nodeType === 11) tree.registerClosedRoot(node as ShadowRoot);
    else if (node.nodeType === 1) tree.listening.add(node as Element);
  };
  /** Returns which points of the page hit this frame element and no element above it. */
  const hits = (id: number, points: { x: number; y: number }[]): boolean[] => {
    const element = elementOf(id);
    return points.map(({ x, y }) => element !== null && tree.receivesHit(element, deepHit(document, x, y)));
  };
  /** Returns the element hit by a point, through frames of this process. */
  const deepHit = (root: Document, x: number, y: number): Element | null => {
    const hit = tree.hitAt(root, x, y);
    if (hit?.localName !== 'iframe') return hit;
    const inner = (hit as HTMLIFrameElement).contentDocument;
    if (!inner) return hit;
    const rect = hit.getBoundingClientRect();
    const { offsetWidth } = hit as HTMLElement;
    const scale = offsetWidth > 0 ? rect.width / offsetWidth : 1;
    const { paddingLeft, paddingTop } = getComputedStyle(hit);
    const left = rect.left + (hit.clientLeft + parseFloat(paddingLeft)) * scale;
    const above = rect.top + (hit.clientTop + parseFloat(paddingTop)) * scale;
    return deepHit(inner, (x - left) / scale, (y - above) / scale);
  };
  const scrollIntoView = (id: number): void => {
    const element = elementOf(id);
    if (element) plain(element).scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  };

  return {
    takeSnapshot: (options: SnapshotOptions) => JSON.stringify(takeSnapshot(options)),
    dispatchTo,
    hostElement,
    registerNode,
    scrollIntoView,
    hits,
  };
}
