import type { Bounds, ElementView } from '@pilothouse/contract/observation/observation.schema';
import type { ObservationLevel } from '@pilothouse/contract/actions/extraction.schema';
import { remainingMs, withTimeout, type Deadline } from '@pilothouse/core/time/deadlines';
import type { IsolatedWorld } from './isolated-world.ts';
import type { Snapshot, SnapshotElement, SnapshotFrame } from './snapshot/snapshot-result.ts';

/** Maximum nesting depth of cross-site frames. */
const MAX_FRAME_DEPTH = 5;

/** Maximum characters of the URL of a frame. */
const MAX_URL_CHARACTERS = 300;

/** Document with its own snapshot script. `Frame` is the caller's object for the outermost frame of its process. */
export interface PageDocument<Frame> {
  readonly world: IsolatedWorld;
  readonly frame: Frame;
  /** True if it is in a descendant of that frame. */
  readonly isBelow: boolean;
}

/** A document and its position in the page. */
interface PlacedDocument<Frame> extends PageDocument<Frame> {
  /** CSS pixels of the page. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Element of a page and its document. Bounds and point are in CSS pixels of the page. */
export interface PageElement<Frame> {
  readonly element: SnapshotElement;
  readonly source: PlacedDocument<Frame>;
}

/** Result of one page read. */
export interface PageRead<Frame> extends Omit<Snapshot, 'elements' | 'frames' | 'focus' | 'hosts'> {
  /** In document order. */
  readonly elements: readonly PageElement<Frame>[];
  /** Focused element that is not in the list; null: no such element. undefined: the focus is in the list or unknown. */
  readonly focus: SnapshotElement | null | undefined;
  /** The document and the cross-origin frames that were read. */
  readonly worlds: readonly IsolatedWorld[];
  /** True if a frame exists, or may exist, and gave no answer: a missing element proves nothing. */
  readonly hasLateFrame: boolean;
}

/** Results that all frames of one read contribute to. */
interface SharedResults extends Pick<Snapshot, 'opaqueRegions' | 'texts'> {
  readonly worlds: IsolatedWorld[];
  /** Focused elements outside the list, one entry per document. */
  readonly focus: (SnapshotElement | null)[];
  hasLateFrame: boolean;
}

/**
 * Reads the elements of one page by a snapshot of each document. For each cross-origin frame, it checks which elements
 * are covered.
 */
export class PageReader<Frame> {
  readonly #findDocument: (frame: string, parent: PageDocument<Frame>) => Promise<PageDocument<Frame> | null>;
  /** Ids of frames by frame element. An id that could not be read is read again by the next read. */
  readonly #frameIds = new Map<string, string>();

  /** @param findDocument finds the document of a frame by its id in the browser; null if it cannot be read */
  constructor(findDocument: (frame: string, parent: PageDocument<Frame>) => Promise<PageDocument<Frame> | null>) {
    this.#findDocument = findDocument;
  }

  /** Reads a page. @throws errors of the session; frames that cannot be read become opaque regions */
  async read(top: PageDocument<Frame>, level: ObservationLevel, deadline: Deadline): Promise<PageRead<Frame>> {
    const snapshot = await top.world.snapshot({ level, view: null }, deadline);
    const shared: SharedResults = {
      opaqueRegions: [...snapshot.opaqueRegions],
      texts: [...snapshot.texts],
      worlds: [top.world],
      focus: [],
      hasLateFrame: false,
    };
    const source = { ...top, x: 0, y: 0, scale: 1 };
    const elements = await this.#collect(snapshot, source, level, deadline, 0, shared);
    const { url, title, loading, busy, viewport, scroll } = snapshot;
    const { opaqueRegions, texts, worlds, focus, hasLateFrame } = shared;
    const focusOutsideList = focus.length === 0 ? undefined : (focus.find((each) => each !== null) ?? null);
    return {
      ...{ url, title, loading, busy, viewport, scroll, elements, opaqueRegions, texts, worlds, hasLateFrame },
      focus: focusOutsideList,
    };
  }

  /** Collects the elements of a document and of the frames below it, in document order. */
  async #collect(
    snapshot: Snapshot,
    source: PlacedDocument<Frame>,
    level: ObservationLevel,
    deadline: Deadline,
    depth: number,
    shared: SharedResults,
  ): Promise<PageElement<Frame>[]> {
    const ownElements = snapshot.elements.map((element) => toPageElement(element, source));
    const { focus } = snapshot;
    if (depth === 0 && focus === null) shared.focus.push(null);
    // The focus of a frame counts only if the parent document has its focus in a frame.
    if (focus && focus !== 'frame' && shared.focus.length === 0)
      shared.focus.push({ ...focus, ...(depth > 0 && { frame: focus.frame ?? frameUrl(snapshot) }) });
    if (snapshot.frames.length === 0) return ownElements;
    const childFrames = await Promise.all(
      snapshot.frames.map(async (frame) => {
        const elements =
          depth < MAX_FRAME_DEPTH ? await this.#collectFrame(frame, source, level, deadline, depth, shared) : null;
        if (!elements)
          shared.opaqueRegions.push({ kind: 'frame', name: frame.name, bounds: toPageBounds(frame.bounds, source) });
        return { insertIndex: frame.insertIndex, elements: elements ?? [] };
      }),
    );
    const result: PageElement<Frame>[] = [];
    for (let index = 0; index <= ownElements.length; index += 1) {
      for (const child of childFrames) if (child.insertIndex === index) result.push(...child.elements);
      const next = ownElements[index];
      if (next) result.push(next);
    }
    return result;
  }

  async #frameId(elementId: number, world: IsolatedWorld, deadline: Deadline): Promise<string | null> {
    const key = `${world.frame}/${world.document}/${elementId}`;
    const id = this.#frameIds.get(key) ?? (await world.frameIn(elementId, deadline));
    if (id !== null) this.#frameIds.set(key, id);
    return id;
  }

  /** Returns the elements of a cross-origin frame; null if they cannot be read. */
  async #collectFrame(
    element: SnapshotFrame,
    parent: PlacedDocument<Frame>,
    level: ObservationLevel,
    deadline: Deadline,
    depth: number,
    shared: SharedResults,
  ): Promise<PageElement<Frame>[] | null> {
    try {
      const id = await this.#frameId(element.id, parent.world, deadline);
      const document = id === null ? null : await withTimeout(this.#findDocument(id, parent), remainingMs(deadline));
      if (!document) return null;
      shared.worlds.push(document.world);
      const snapshot = await document.world.snapshot({ level, view: element.view }, deadline);
      const source: PlacedDocument<Frame> = {
        ...document,
        x: parent.x + element.x * parent.scale,
        y: parent.y + element.y * parent.scale,
        scale: parent.scale * element.scale,
      };
      const elements = snapshot.elements.map((element) => ({ ...element, frame: element.frame ?? frameUrl(snapshot) }));
      const visible = await removeCoveredElements(elements, element, parent, deadline);
      shared.opaqueRegions.push(
        ...snapshot.opaqueRegions.map((region) => ({ ...region, bounds: toPageBounds(region.bounds, source) })),
      );
      shared.texts.push(...snapshot.texts);
      return await this.#collect({ ...snapshot, elements: visible }, source, level, deadline, depth + 1, shared);
    } catch (error) {
      deadline.signal.throwIfAborted();
      // Only an answer of the browser proves that the frame has gone. Its world has an own limit, and timers may fire early.
      shared.hasLateFrame ||= !parent.world.isProtocolError(error);
      return null;
    }
  }
}

/** Removes elements that are covered by the page around the frame. */
async function removeCoveredElements<Frame>(
  elements: SnapshotElement[],
  { id, x, y, scale }: SnapshotFrame,
  parent: PlacedDocument<Frame>,
  deadline: Deadline,
): Promise<SnapshotElement[]> {
  const points = elements.map(({ point }) => ({ x: x + point.x * scale, y: y + point.y * scale }));
  const hits = await parent.world.call('hits', [id, points], deadline);
  return elements.filter((_, index) => hits[index]);
}

/** Converts an element to the contract type. */
export function elementViewOf(element: SnapshotElement, index: number): ElementView {
  const { id: _id, point: _point, isBehindLabel: _isBehindLabel, isPasswordField: _isPasswordField, ...view } = element;
  return { index, ...view };
}

const frameUrl = ({ url }: Snapshot): string => url.slice(0, MAX_URL_CHARACTERS);

function toPageElement<Frame>(element: SnapshotElement, source: PlacedDocument<Frame>): PageElement<Frame> {
  const { x, y, scale } = source;
  const { bounds, point } = element;
  const geometry = { bounds: toPageBounds(bounds, source), point: { x: x + point.x * scale, y: y + point.y * scale } };
  return { element: { ...element, ...geometry }, source };
}

const toPageBounds = (
  { x, y, width, height }: Bounds,
  placement: Pick<PlacedDocument<unknown>, 'x' | 'y' | 'scale'>,
): Bounds => ({
  x: Math.round(placement.x + x * placement.scale),
  y: Math.round(placement.y + y * placement.scale),
  width: Math.round(width * placement.scale),
  height: Math.round(height * placement.scale),
});
