/// <reference lib="dom" />
import type { Bounds, ElementView, ObservationLevel, OpaqueRegion } from '@pilothouse/contract';
import type { ElementFacts } from './element-facts.script.ts';
import type { InputDestinations } from './input-destinations.script.ts';
import type { AccessibleNames } from './accessible-names.script.ts';
import type { AriaRoles } from './aria-roles.script.ts';
import type { FrameViewport, Visibility } from './visibility.script.ts';
import type { DomTree } from './dom-tree.script.ts';
import type { Candidate, DomWalk } from './dom-walk.script.ts';

/** Element with its id, in CSS pixels of the outermost document that the script can reach. */
export interface SnapshotElement extends Omit<ElementView, 'index'> {
  readonly id: number;
  readonly point: { readonly x: number; readonly y: number };
  /** Input goes to its label, because the control is not visible. */
  readonly isBehindLabel?: true;
}

/** Frame that has to be asked in its own process. */
export interface SnapshotFrame {
  readonly id: number;
  /** Index of the element before which the elements of the frame belong. */
  readonly wordIndex: number;
  readonly name: string;
  readonly bounds: Bounds;
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  /** Visible part of the frame in its own pixels. */
  readonly view: { left: number; top: number; right: number; bottom: number };
}

/** Result of one snapshot. */
export interface Snapshot {
  readonly url: string;
  readonly title: string;
  readonly loading: boolean;
  readonly busy: boolean;
  readonly viewport: { width: number; height: number };
  readonly scroll: { above: number; below: number };
  readonly elements: SnapshotElement[];
  /** Focused element. Null: none; `frame`: inside a frame of another process; omitted: in the list. */
  readonly focus?: SnapshotElement | 'frame' | null;
  readonly frames: SnapshotFrame[];
  readonly opaqueRegions: OpaqueRegion[];
  /** Ids of elements that may have a closed shadow root and were not checked yet. */
  readonly hosts: number[];
  readonly texts: string[];
}

/** Options of a snapshot. */
export interface SnapshotOptions {
  readonly level: ObservationLevel;
  /** Visible part of the document if it is in a frame. */
  readonly view: { left: number; top: number; right: number; bottom: number } | null;
}

/** Status of an element since it was listed. */
export type ElementStatus =
  | { readonly is: 'there'; readonly point: { x: number; y: number } | null }
  | { readonly is: 'gone' }
  | { readonly is: 'other'; readonly role: string; readonly name: string };

/** Takes snapshots of the page and keeps the ids of its elements. Lives as long as the document. */
export function elementSnapshot(
  tree: DomTree,
  roles: AriaRoles,
  names: AccessibleNames,
  facts: ElementFacts,
  destinations: InputDestinations,
  visibility: Visibility,
  walk: DomWalk,
) {
  /** Maximum length of a name and of a text. */
  const MAX_NAME_CHARS = 200;
  const MAX_TEXT_CHARS = 1000;
  const ids = new WeakMap<Element, number>();
  const elements: WeakRef<Element>[] = [];
  const checkedHosts = new WeakSet<Element>();

  const idOf = (element: Element): number => {
    const existing = ids.get(element);
    if (existing !== undefined) return existing;
    ids.set(element, elements.length);
    return elements.push(new WeakRef(element)) - 1;
  };

  const toBounds = (
    { x, y, scale }: FrameViewport,
    box: { left: number; top: number; right: number; bottom: number },
  ): Bounds => ({
    x: Math.round(x + box.left * scale),
    y: Math.round(y + box.top * scale),
    width: Math.round((box.right - box.left) * scale),
    height: Math.round((box.bottom - box.top) * scale),
  });

  const focusOf = (of: Document): Element | null => {
    let active: Element | null = of.activeElement;
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

  /** True if another opaque element covers the center of the visible part. */
  const isCovered = (element: Element, viewport: FrameViewport, rect: DOMRect): boolean => {
    const box = visibility.clippedBox(element, rect, viewport);
    if (!box) return true;
    const x = (box.left + box.right) / 2;
    const y = (box.top + box.bottom) / 2;
    const hit = tree.hitAt(viewport.document, x, y);
    if (viewport.outer && hit && !visibility.hit(viewport, x, y)) return true;
    if (!hit || tree.receivesHit(element, hit)) return false;
    for (let node: Element | null = hit; node; node = tree.parentOf(node)) {
      if (tree.receivesHit(node, element)) return false;
      const { backgroundColor, backgroundImage } = getComputedStyle(node);
      const alpha = /^rgba\(.*,\s*([\d.]+)\)$/.exec(backgroundColor)?.[1];
      if (alpha === undefined || parseFloat(alpha) > 0.3 || backgroundImage !== 'none') return true;
      if (['img', 'canvas', 'video', 'iframe'].includes(node.localName)) return true;
    }
    return false;
  };

  const nameFor = ({ kind, element, role, text }: Candidate) => {
    const full = kind === 'text' ? names.tidy(text.join('')) : names.nameOf(element, role);
    const max = kind === 'text' ? MAX_TEXT_CHARS : MAX_NAME_CHARS;
    return full.length > max ? { name: full.slice(0, max), length: full.length } : { name: full };
  };

  const entryOf = (candidate: Candidate, point: { x: number; y: number }, focused: Element | null): SnapshotElement => {
    const { element, role, viewport: sheet, rect, kind, proxy } = candidate;
    const interactive = kind !== 'text';
    const nameFields = nameFor(candidate);
    const fallbackName = interactive && !nameFields.name ? names.fallbackNameOf(element) : '';
    const context = interactive && !nameFields.name ? names.contextOf(element) : '';
    const value = interactive ? facts.valueOf(element, role) : undefined;
    const address = sheet.outer ? sheet.document.URL : '';
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
      bounds: toBounds(sheet, rect),
      point: { x: sheet.x + point.x * sheet.scale, y: sheet.y + point.y * sheet.scale },
      ...(proxy && { isBehindLabel: true as const }),
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
    const view = tree.plain(element);
    const viewport = { ...top, document: view.ownerDocument };
    const rect = view.getBoundingClientRect();
    return entryOf({ element, role, viewport, rect, kind: 'sure', proxy: null, text: [] }, { x: 0, y: 0 }, element);
  };

  /** Returns a point of a candidate that is visible and can be hit, otherwise null. */
  const clickPoint = (
    candidate: Candidate,
    interactiveElements: ReadonlySet<Element>,
  ): { x: number; y: number } | null => {
    const { element, proxy, viewport: sheet, rect, kind } = candidate;
    const clickTarget = proxy ?? element;
    const visibleCenter = () => {
      const box = visibility.clippedBox(clickTarget, rect, sheet);
      return box && { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
    };
    if (kind === 'text') return isCovered(element, sheet, rect) ? null : visibleCenter();
    const isIntercepted = (hit: Element) => {
      for (let node: Element | null = hit; node && node !== clickTarget; node = tree.parentOf(node))
        if (interactiveElements.has(node)) return true;
      return false;
    };
    const point = visibility.pointOf(clickTarget, sheet, rect, isIntercepted);
    if (point) return point;
    return facts.isDisabled(element) && !isCovered(clickTarget, sheet, rect) ? visibleCenter() : null;
  };

  const loadingTexts =
    /^(?:loading|please wait|one moment|just a moment|wird geladen|laden|lädt|bitte warten|chargement|veuillez patienter|cargando|caricamento)\b[^.?]{0,40}(?:\.{1,3}|…)?$/i;

  /** True if a visible box covers a share of an area. */
  const coversShare = (
    element: Element,
    limits: { left: number; top: number; right: number; bottom: number },
    share: number,
  ) => {
    const view = tree.plain(element);
    const box = visibility.within(view.getBoundingClientRect(), limits);
    const all = (limits.right - limits.left) * (limits.bottom - limits.top);
    return box !== null && (box.right - box.left) * (box.bottom - box.top) >= all * share && view.checkVisibility();
  };

  /** True if the page shows progress or a large transition, so that the list is about to change. */
  const isBusy = (
    limits: { left: number; top: number; right: number; bottom: number },
    elementList: readonly SnapshotElement[],
  ): boolean => {
    for (const element of document.querySelectorAll('[aria-busy="true"]'))
      if (coversShare(element, limits, 0.25)) return true;
    const isInTransition = document.getAnimations().some(({ playState, effect, currentTime }) => {
      if (playState !== 'running' || !(effect instanceof KeyframeEffect) || !effect.target) return false;
      const end = Number(effect.getComputedTiming().endTime);
      return end - Number(currentTime ?? 0) <= 1000 && coversShare(effect.target, limits, 0.5);
    });
    if (isInTransition) return true;
    // A page that accepts input has loaded, even if it shows a spinner.
    if (elementList.some(({ interactive, state }) => interactive && !state.disabled)) return false;
    const texts = elementList.filter(({ interactive, name }) => !interactive && name);
    if (texts.length > 0) return texts.length <= 3 && texts.some(({ name }) => loadingTexts.test(name));
    const spinners = 'progress:not([value]), [role="progressbar"]:not([aria-valuenow])';
    return [...document.querySelectorAll(spinners)].some((element) => coversShare(element, limits, 0));
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
      const point = clickPoint(candidate, interactiveElements);
      if (!point) continue;
      const entry = entryOf(candidate, point, focused);
      if (candidate.kind === 'text' && !entry.name) continue;
      entries.push({ element: candidate.element, entry, candidate });
    }
    const frames = walkResult.opaque.map(({ element, viewport: sheet, after }): SnapshotFrame => {
      const position = after ? walkResult.candidates.indexOf(after) : -1;
      const wordIndex = entries.filter(({ candidate }) => walkResult.candidates.indexOf(candidate) <= position).length;
      const rect = element.getBoundingClientRect();
      return {
        id: idOf(element),
        wordIndex,
        name: names.nameOf(element, 'frame') || element.getAttribute('name') || element.getAttribute('src') || '',
        bounds: toBounds(sheet.outer ?? top, rect),
        x: sheet.x,
        y: sheet.y,
        scale: sheet.scale,
        view: { left: sheet.left, top: sheet.top, right: sheet.right, bottom: sheet.bottom },
      };
    });
    const isListed = entries.some(({ element }) => element === focused);
    const height = scrollingElement?.scrollHeight ?? innerHeight;
    const above = Math.max(0, Math.round(scrollY));
    return {
      url: document.URL,
      title: document.title,
      loading: document.readyState !== 'complete',
      busy: isBusy(
        limits,
        entries.map(({ entry }) => entry),
      ),
      viewport: { width: innerWidth, height: innerHeight },
      scroll: { above, below: Math.max(0, Math.round(height - innerHeight - above)) },
      elements: entries.map(({ entry }) => entry),
      ...(!isListed && { focus: focused && focusOutsideList(focused, top) }),
      frames,
      opaqueRegions: walkResult.opaqueRegions.map(({ kind, element, viewport: sheet }) => ({
        kind,
        name: names.nameOf(element, 'canvas') || names.fallbackNameOf(element),
        bounds: toBounds(sheet, element.getBoundingClientRect()),
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

  const elementOf = (id: number): Element | null => {
    const element = elements[id]?.deref();
    const view = element && tree.plain(element);
    return element && view?.isConnected && view.ownerDocument.defaultView ? element : null;
  };

  /** True if two names of an element differ only by the values of the fields inside of it. */
  const differsOnlyByValues = (element: Element, currentName: string, before: string): boolean => {
    const fields = [...tree.plain(element).querySelectorAll('input, textarea, select, [contenteditable]')];
    if (fields.length === 0) return false;
    const values = fields.map((one) => names.tidy(facts.valueOf(one, 'textbox') ?? '')).filter(Boolean);
    let remaining = currentName;
    for (const value of values) remaining = remaining.replace(value, ' ');
    const words = before.split(' ');
    let wordIndex = 0;
    for (const word of remaining.split(/\s+/).filter(Boolean)) {
      wordIndex = words.indexOf(word, wordIndex) + 1;
      if (wordIndex === 0) return false;
    }
    return true;
  };

  /** Returns the status of an element that was listed with this role and name. */
  const statusOf = (id: number, role: string, name: string, interactive: boolean): ElementStatus => {
    const element = elementOf(id);
    if (!element) return { is: 'gone' };
    if (!interactive) return { is: 'there', point: null };
    const currentName = names.nameOf(element, role).slice(0, MAX_NAME_CHARS);
    const { widgetRole, currentRole } = { widgetRole: roles.widget(element), currentRole: roles.roleOf(element) };
    if (
      (currentName !== name && !differsOnlyByValues(element, currentName, name)) ||
      (widgetRole !== null && widgetRole !== role)
    )
      return { is: 'other', role: widgetRole ?? currentRole, name: currentName };
    return { is: 'there', point: null };
  };

  /**
   * Passes an element to the listener of an event.
   * @returns true if a listener took it; `closed` if it is in a closed shadow root
   */
  const dispatchTo = (id: number, event: string): boolean | 'closed' => {
    const element = elementOf(id);
    if (element && tree.isInClosed(element)) return 'closed';
    if (!element) return false;
    return !tree.plain(element).dispatchEvent(new Event(event, { composed: true, cancelable: true }));
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
  const deepHit = (of: Document, x: number, y: number): Element | null => {
    const hit = tree.hitAt(of, x, y);
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
    if (element) tree.plain(element).scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  };

  return {
    takeSnapshot: (options: SnapshotOptions) => JSON.stringify(takeSnapshot(options)),
    statusOf,
    dispatchTo,
    hostElement,
    registerNode,
    scrollIntoView,
    hits,
  };
}

export type ElementSnapshot = ReturnType<typeof elementSnapshot>;
