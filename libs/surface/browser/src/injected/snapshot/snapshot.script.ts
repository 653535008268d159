/// <reference lib="dom" />
import type { Bounds, ElementView, ObservationLevel, OpaqueRegion } from '@pilothouse/contract';
import type { ElementFacts } from './element-facts.script.ts';
import type { Leads } from './input-destinations.script.ts';
import type { AccessibleNames } from './accessible-names.script.ts';
import type { AriaRoles } from './aria-roles.script.ts';
import type { FrameViewport, Visibility } from './visibility.script.ts';
import type { DomTree } from './dom-tree.script.ts';
import type { Candidate, DomWalk } from './dom-walk.script.ts';

/** An element as the page numbers it, in CSS pixels of the outermost document that the code reaches. */
export interface SnapshotElement extends Omit<ElementView, 'index'> {
  readonly id: number;
  readonly point: { readonly x: number; readonly y: number };
  /** Input goes to its label: the control does not show itself. */
  readonly isBehindLabel?: true;
}

/** A frame that has to be asked in its own process. */
export interface SnapshotFrame {
  readonly id: number;
  /** Before which entry its own belong. */
  readonly at: number;
  readonly name: string;
  readonly bounds: Bounds;
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  /** What can be seen of it, in its own pixels. */
  readonly view: { left: number; top: number; right: number; bottom: number };
}

/** What one look saw. */
export interface Snapshot {
  readonly url: string;
  readonly title: string;
  readonly loading: boolean;
  readonly busy: boolean;
  readonly viewport: { width: number; height: number };
  readonly scroll: { above: number; below: number };
  readonly elements: SnapshotElement[];
  /** What has the focus: null: nothing; `frame`: something in a frame that is asked apart; left out: something in the list. */
  readonly focus?: SnapshotElement | 'frame' | null;
  readonly frames: SnapshotFrame[];
  readonly opaqueRegions: OpaqueRegion[];
  /** Numbers of elements that may hold a closed shadow root and were not asked yet. */
  readonly hosts: number[];
  readonly texts: string[];
}

/** How one is to look. */
export interface SnapshotOptions {
  readonly level: ObservationLevel;
  /** What can be seen of the document, when it is in a frame. */
  readonly view: { left: number; top: number; right: number; bottom: number } | null;
}

/** What became of an element since it was listed. */
export type ElementStatus =
  | { readonly is: 'there'; readonly point: { x: number; y: number } | null }
  | { readonly is: 'gone' }
  | { readonly is: 'other'; readonly role: string; readonly name: string };

/** Looks at the page and keeps the numbers of its elements. Lives as long as the document. */
export function elementSnapshot(
  tree: DomTree,
  roles: AriaRoles,
  names: AccessibleNames,
  facts: ElementFacts,
  leads: Leads,
  sight: Visibility,
  walk: DomWalk,
) {
  /** Characters of a name, and of what there is to read. */
  const NAME = 200;
  const TEXT = 1000;
  const numbers = new WeakMap<Element, number>();
  const elements: WeakRef<Element>[] = [];
  const asked = new WeakSet<Element>();

  const numberOf = (element: Element): number => {
    const known = numbers.get(element);
    if (known !== undefined) return known;
    numbers.set(element, elements.length);
    return elements.push(new WeakRef(element)) - 1;
  };

  const round = (
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

  /** Whether something that is no part of it, and that one cannot see through, lies over the middle of what is in view. */
  const covered = (element: Element, sheet: FrameViewport, rect: DOMRect): boolean => {
    const box = sight.clipped(element, rect, sheet);
    if (!box) return true;
    const x = (box.left + box.right) / 2;
    const y = (box.top + box.bottom) / 2;
    const found = tree.hitAt(sheet.document, x, y);
    if (sheet.outer && found && !sight.hit(sheet, x, y)) return true;
    if (!found || tree.takes(element, found)) return false;
    for (let node: Element | null = found; node; node = tree.parentOf(node)) {
      if (tree.takes(node, element)) return false;
      const { backgroundColor, backgroundImage } = getComputedStyle(node);
      const alpha = /^rgba\(.*,\s*([\d.]+)\)$/.exec(backgroundColor)?.[1];
      if (alpha === undefined || parseFloat(alpha) > 0.3 || backgroundImage !== 'none') return true;
      if (['img', 'canvas', 'video', 'iframe'].includes(node.localName)) return true;
    }
    return false;
  };

  const nameFor = ({ kind, element, role, text }: Candidate) => {
    const full = kind === 'text' ? names.tidy(text.join('')) : names.nameOf(element, role);
    const max = kind === 'text' ? TEXT : NAME;
    return full.length > max ? { name: full.slice(0, max), length: full.length } : { name: full };
  };

  const entryOf = (candidate: Candidate, point: { x: number; y: number }, focused: Element | null): SnapshotElement => {
    const { element, role, sheet, rect, kind, proxy } = candidate;
    const interactive = kind !== 'text';
    const named = nameFor(candidate);
    const fallbackName = interactive && !named.name ? names.hintOf(element) : '';
    const context = interactive && !named.name ? names.contextOf(element) : '';
    const value = interactive ? facts.valueOf(element, role) : undefined;
    const address = sheet.outer ? sheet.document.URL : '';
    const leadsTo = interactive || element.localName === 'img' ? leads.leadsOf(element) : undefined;
    const sends = interactive ? leads.sendsOf(element) : undefined;
    const submitButton = interactive ? leads.enterOf(element) : undefined;
    return {
      id: numberOf(element),
      interactive,
      role,
      ...named,
      ...(fallbackName && { fallbackName }),
      ...(context && { context }),
      ...(value !== undefined && {
        value: value.length > TEXT ? `${value.slice(0, TEXT)}… (${value.length} characters)` : value,
      }),
      ...(interactive && facts.isSecret(element) && { secret: true as const }),
      state: interactive ? facts.stateOf(element, role, element === focused) : {},
      tags: interactive ? facts.marksOf(element, role, named.name, fallbackName) : [],
      bounds: round(sheet, rect),
      point: { x: sheet.x + point.x * sheet.scale, y: sheet.y + point.y * sheet.scale },
      ...(proxy && { isBehindLabel: true as const }),
      ...(leadsTo !== undefined && { linkUrl: leadsTo }),
      ...(sends !== undefined && { formDestinations: sends }),
      ...(submitButton !== undefined && { submitButton }),
      ...(address && { frame: address.slice(0, 300) }),
    };
  };

  /** What has the focus and is not in the list, such as the hidden field of an editor. */
  const unlisted = (element: Element, top: FrameViewport): SnapshotElement | 'frame' => {
    const opaque = element.localName === 'iframe' || element.localName === 'frame';
    if (opaque) return 'frame';
    const role = roles.widget(element) ?? roles.roleOf(element);
    const own = tree.plain(element);
    const sheet = { ...top, document: own.ownerDocument };
    const rect = own.getBoundingClientRect();
    return entryOf({ element, role, sheet, rect, kind: 'sure', proxy: null, text: [] }, { x: 0, y: 0 }, element);
  };

  /** A point for each candidate that can be seen and hit, null for the others. */
  const reach = (candidate: Candidate, taken: ReadonlySet<Element>): { x: number; y: number } | null => {
    const { element, proxy, sheet, rect, kind } = candidate;
    const shown = proxy ?? element;
    const middle = () => {
      const box = sight.clipped(shown, rect, sheet);
      return box && { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
    };
    if (kind === 'text') return covered(element, sheet, rect) ? null : middle();
    const between = (hit: Element) => {
      for (let node: Element | null = hit; node && node !== shown; node = tree.parentOf(node))
        if (taken.has(node)) return true;
      return false;
    };
    const point = sight.pointOf(shown, sheet, rect, between);
    if (point) return point;
    return facts.isDisabled(element) && !covered(shown, sheet, rect) ? middle() : null;
  };

  const waits =
    /^(?:loading|please wait|one moment|just a moment|wird geladen|laden|lädt|bitte warten|chargement|veuillez patienter|cargando|caricamento)\b[^.?]{0,40}(?:\.{1,3}|…)?$/i;

  /** Whether a box covers so much of what can be seen. */
  const covers = (
    element: Element,
    limits: { left: number; top: number; right: number; bottom: number },
    share: number,
  ) => {
    const own = tree.plain(element);
    const box = sight.within(own.getBoundingClientRect(), limits);
    const all = (limits.right - limits.left) * (limits.bottom - limits.top);
    return box !== null && (box.right - box.left) * (box.bottom - box.top) >= all * share && own.checkVisibility();
  };

  /** Whether the page shows that it is at work, or something large comes or goes: what is listed now is soon another. */
  const isBusy = (
    limits: { left: number; top: number; right: number; bottom: number },
    listed: readonly SnapshotElement[],
  ): boolean => {
    for (const element of document.querySelectorAll('[aria-busy="true"]'))
      if (covers(element, limits, 0.25)) return true;
    const comesOrGoes = document.getAnimations().some(({ playState, effect, currentTime }) => {
      if (playState !== 'running' || !(effect instanceof KeyframeEffect) || !effect.target) return false;
      const end = Number(effect.getComputedTiming().endTime);
      return end - Number(currentTime ?? 0) <= 1000 && covers(effect.target, limits, 0.5);
    });
    if (comesOrGoes) return true;
    /* A page that takes input has loaded, even if a spinner turns in it. */
    if (listed.some(({ interactive, state }) => interactive && !state.disabled)) return false;
    const texts = listed.filter(({ interactive, name }) => !interactive && name);
    if (texts.length > 0) return texts.length <= 3 && texts.some(({ name }) => waits.test(name));
    const turning = 'progress:not([value]), [role="progressbar"]:not([aria-valuenow])';
    return [...document.querySelectorAll(turning)].some((element) => covers(element, limits, 0));
  };

  const look = ({ level, view }: SnapshotOptions): Snapshot => {
    const { scrollingElement } = document;
    const limits = view ?? { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const top: FrameViewport = { document, holder: null, outer: null, x: 0, y: 0, scale: 1, ...limits };
    const walked = walk(top, level);
    const taken = new Set(walked.candidates.filter(({ kind }) => kind === 'sure').map(({ element }) => element));
    const focused = focusOf(document);
    const seen: { element: Element; entry: SnapshotElement; candidate: Candidate }[] = [];
    for (const candidate of walked.candidates) {
      if (candidate.kind === 'likely' && holds(candidate.element, taken)) continue;
      const point = reach(candidate, taken);
      if (!point) continue;
      const entry = entryOf(candidate, point, focused);
      if (candidate.kind === 'text' && !entry.name) continue;
      seen.push({ element: candidate.element, entry, candidate });
    }
    const frames = walked.opaque.map(({ element, sheet, after }): SnapshotFrame => {
      const place = after ? walked.candidates.indexOf(after) : -1;
      const at = seen.filter(({ candidate }) => walked.candidates.indexOf(candidate) <= place).length;
      const rect = element.getBoundingClientRect();
      return {
        id: numberOf(element),
        at,
        name: names.nameOf(element, 'frame') || element.getAttribute('name') || element.getAttribute('src') || '',
        bounds: round(sheet.outer ?? top, rect),
        x: sheet.x,
        y: sheet.y,
        scale: sheet.scale,
        view: { left: sheet.left, top: sheet.top, right: sheet.right, bottom: sheet.bottom },
      };
    });
    const isListed = seen.some(({ element }) => element === focused);
    const height = scrollingElement?.scrollHeight ?? innerHeight;
    const above = Math.max(0, Math.round(scrollY));
    return {
      url: document.URL,
      title: document.title,
      loading: document.readyState !== 'complete',
      busy: isBusy(
        limits,
        seen.map(({ entry }) => entry),
      ),
      viewport: { width: innerWidth, height: innerHeight },
      scroll: { above, below: Math.max(0, Math.round(height - innerHeight - above)) },
      elements: seen.map(({ entry }) => entry),
      ...(!isListed && { focus: focused && unlisted(focused, top) }),
      frames,
      opaqueRegions: walked.opaqueRegions.map(({ kind, element, sheet }) => ({
        kind,
        name: names.nameOf(element, 'canvas') || names.hintOf(element),
        bounds: round(sheet, element.getBoundingClientRect()),
      })),
      hosts: walked.hosts
        .filter((host) => !asked.has(host))
        .slice(0, 20)
        .map(numberOf),
      texts: walked.texts.map(names.tidy).filter(Boolean),
    };
  };

  /** Whether it holds one of these. */
  const holds = (element: Element, inner: ReadonlySet<Element>): boolean => {
    let found = false;
    tree.eachElement(element, (node) => {
      found ||= inner.has(node) || holds(node, inner);
    });
    return found;
  };

  const elementOf = (id: number): Element | null => {
    const element = elements[id]?.deref();
    const own = element && tree.plain(element);
    return element && own?.isConnected && own.ownerDocument.defaultView ? element : null;
  };

  /** Whether two names of an element differ in nothing but what was typed into the fields in it. */
  const isSameButValues = (element: Element, now: string, before: string): boolean => {
    const fields = [...tree.plain(element).querySelectorAll('input, textarea, select, [contenteditable]')];
    if (fields.length === 0) return false;
    const values = fields.map((one) => names.tidy(facts.valueOf(one, 'textbox') ?? '')).filter(Boolean);
    let rest = now;
    for (const value of values) rest = rest.replace(value, ' ');
    const words = before.split(' ');
    let at = 0;
    for (const word of rest.split(/\s+/).filter(Boolean)) {
      at = words.indexOf(word, at) + 1;
      if (at === 0) return false;
    }
    return true;
  };

  /** What became of an element that was listed with this role and name. */
  const fateOf = (id: number, role: string, name: string, interactive: boolean): ElementStatus => {
    const element = elementOf(id);
    if (!element) return { is: 'gone' };
    if (!interactive) return { is: 'there', point: null };
    const now = names.nameOf(element, role).slice(0, NAME);
    const { checked, isNow } = { checked: roles.widget(element), isNow: roles.roleOf(element) };
    if ((now !== name && !isSameButValues(element, now, name)) || (checked !== null && checked !== role))
      return { is: 'other', role: checked ?? isNow, name: now };
    return { is: 'there', point: null };
  };

  /** Shows an element to whoever listens for this event. @returns whether somebody did; `closed` where nobody can see it */
  const show = (id: number, event: string): boolean | 'closed' => {
    const element = elementOf(id);
    if (element && tree.isInClosed(element)) return 'closed';
    if (!element) return false;
    return !tree.plain(element).dispatchEvent(new Event(event, { composed: true, cancelable: true }));
  };

  const host = (id: number): Element | null => {
    const element = elementOf(id);
    if (element) asked.add(element);
    return element;
  };

  /** Takes note of a closed shadow root, or of an element in one on which a script listens. */
  const learn = (node: Node): void => {
    if (node.nodeType === 11) tree.learn(node as ShadowRoot);
    else if (node.nodeType === 1) tree.heard.add(node as Element);
  };
  /** Which points of the page hit this frame element, and nothing that lies over it. */
  const hits = (id: number, points: { x: number; y: number }[]): boolean[] => {
    const element = elementOf(id);
    return points.map(({ x, y }) => element !== null && tree.takes(element, deepHit(document, x, y)));
  };
  /** What a point hits, down into frames of this process. */
  const deepHit = (of: Document, x: number, y: number): Element | null => {
    const found = tree.hitAt(of, x, y);
    if (found?.localName !== 'iframe') return found;
    const inner = (found as HTMLIFrameElement).contentDocument;
    if (!inner) return found;
    const rect = found.getBoundingClientRect();
    const { offsetWidth } = found as HTMLElement;
    const scale = offsetWidth > 0 ? rect.width / offsetWidth : 1;
    const { paddingLeft, paddingTop } = getComputedStyle(found);
    const left = rect.left + (found.clientLeft + parseFloat(paddingLeft)) * scale;
    const above = rect.top + (found.clientTop + parseFloat(paddingTop)) * scale;
    return deepHit(inner, (x - left) / scale, (y - above) / scale);
  };
  const reveal = (id: number): void => {
    const element = elementOf(id);
    if (element) tree.plain(element).scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  };

  return { look: (options: SnapshotOptions) => JSON.stringify(look(options)), fateOf, show, host, learn, reveal, hits };
}

export type ElementSnapshot = ReturnType<typeof elementSnapshot>;
