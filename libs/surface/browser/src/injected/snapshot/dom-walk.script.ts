/// <reference lib="dom" />
import type { ObservationLevel, OpaqueRegion } from '@pilothouse/contract';
import type { AriaRoles } from './aria-roles.script.ts';
import type { FrameViewport, Visibility } from './visibility.script.ts';
import type { DomTree } from './dom-tree.script.ts';

/** What may become an entry of the list. */
export interface Candidate {
  readonly element: Element;
  readonly role: string;
  readonly sheet: FrameViewport;
  readonly rect: DOMRect;
  /** Sure: it takes input. Likely: only the pointer's shape says so. Text: it is there to be read. */
  readonly kind: 'sure' | 'likely' | 'text';
  /** What is clicked instead: the label of a control that does not show itself. */
  readonly proxy: Element | null;
  /** The pieces of what there is to read. */
  readonly text: string[];
}

/** A frame whose document is another process's. */
interface Opaque {
  readonly element: Element;
  /** What comes before it. */
  readonly after: Candidate | null;
  readonly sheet: FrameViewport;
}

interface Walked {
  readonly candidates: Candidate[];
  readonly opaque: Opaque[];
  readonly opaqueRegions: { kind: OpaqueRegion['kind']; element: Element; sheet: FrameViewport }[];
  /** Elements that may hold a closed shadow root. */
  readonly hosts: Element[];
  /** Text of the whole page, block after block. */
  readonly texts: string[];
}

/** One block of text while it is read. */
interface Block {
  readonly parts: string[];
  readonly element: Element;
  readonly rect: DOMRect;
  readonly sheet: FrameViewport;
  /** Whether it is in view, and not the name of something that is listed. */
  readonly listed: boolean;
  /** Whether any of it is not of a link alone. */
  own: boolean;
  isOpen: boolean;
  candidate: Candidate | null;
}

interface Place {
  readonly sheet: FrameViewport;
  readonly block: Block | null;
  /** Inside something interactive that is named by its content. */
  readonly named: boolean;
  /** Inside something interactive. */
  readonly taken: boolean;
  readonly pointer: boolean;
  readonly clear: boolean;
}

/**
 * Goes once through the page as it is shown and collects what may be listed.
 * @param listens whether a script of the page listens on an element for being clicked
 */
export function domWalk(tree: DomTree, roles: AriaRoles, sight: Visibility, listens: (element: Element) => boolean) {
  const skipped = new Set(
    'script style template noscript head meta link title base br wbr source track param datalist optgroup option'.split(
      ' ',
    ),
  );
  /* Shapes inside a picture: their picture stands for them, unless they listen. */
  const hosting = new Set('article aside blockquote div footer header main nav p section'.split(' '));
  const drawn = /^(?:block|flex|grid|list-item|table|table-row|table-caption|flow-root)$/;

  return (top: FrameViewport, level: ObservationLevel): Walked => {
    const reads = level !== 'interactive';
    const everywhere = level === 'page';
    const done: Walked = { candidates: [], opaque: [], opaqueRegions: [], hosts: [], texts: [] };

    const visit = (element: Element, place: Place): void => {
      const own = tree.plain(element);
      const tag = own.localName;
      if (skipped.has(tag)) return;
      const rect = own.getBoundingClientRect();
      const isBox = rect.width > 0 && rect.height > 0;
      if (!isBox && rect.width === 0 && rect.height === 0 && !own.checkVisibility()) {
        if (getComputedStyle(element).display !== 'contents') {
          if (tag === 'input') control(element, rect, place);
          return;
        }
      }
      const { sheet } = place;
      const inView =
        isBox &&
        rect.left < sheet.right &&
        rect.right > sheet.left &&
        rect.top < sheet.bottom &&
        rect.bottom > sheet.top;
      if (tag === 'input' && control(element, rect, place)) return;
      if (!inView && !everywhere) {
        if (tag !== 'iframe' && tag !== 'frame')
          into(element, place.block || place.pointer ? { ...place, block: null, pointer: false } : place);
        return;
      }

      const style = getComputedStyle(element);
      const clear = place.clear || style.opacity === '0';
      const visible = style.visibility === 'visible' && !clear;
      const isPointer = style.cursor === 'pointer';
      let { named, taken, block } = place;
      if (inView) {
        let role = roles.widget(element);
        if (role === null && visible && listens(element)) role = roles.explicit(element) ?? listening(element);
        const shows = visible || (style.visibility === 'visible' && tag === 'input');
        if (role !== null && shows) {
          done.candidates.push({ element, role, sheet, rect, kind: 'sure', proxy: null, text: [] });
          taken = true;
          if (roles.fromContent.has(role) && role !== 'link' && (roles.widgets.has(role) || rect.height < 120))
            named = true;
        } else if (isPointer && !place.pointer && !taken && visible && tag !== 'label') {
          done.candidates.push({ element, role: 'clickable', sheet, rect, kind: 'likely', proxy: null, text: [] });
        }
        if (tag === 'canvas') done.opaqueRegions.push({ kind: 'canvas', element, sheet });
        if (tag === 'embed' || tag === 'object') done.opaqueRegions.push({ kind: 'embedded', element, sheet });
        if (mayHost(element, tag, rect)) done.hosts.push(element);
      }
      if (tag === 'iframe' || tag === 'frame') return frame(element, rect, style, place, inView);
      if (tag === 'select' || tag === 'textarea' || tag === 'input') return;

      /* The text of a label is the name of its field, which is listed itself. */
      if (tag === 'label' && (element as HTMLLabelElement).control) named = true;
      if (reads) {
        if (tag === 'img' && visible && inView && !named) image(element, rect, sheet, place);
        if (!block || drawn.test(style.display) || (named && !place.named)) {
          const listed = inView && !named && rect.width > 1 && rect.height > 1;
          block = { parts: [], element, rect, sheet, listed, own: false, isOpen: false, candidate: null };
        } else if (style.display === 'table-cell' && block.isOpen) block.parts.push(' | ');
      }
      const inner: Place = { sheet, block, named, taken, pointer: isPointer, clear };
      if (block && visible && (everywhere || !named)) read(element, block, inner);
      else into(element, inner);
    };

    /** Its children, as they are shown. */
    const into = (element: Element, place: Place): void => tree.eachElement(element, (inner) => visit(inner, place));

    /** Its children and its text, in their order. A block is listed where its first text is. */
    const read = (element: Element, block: Block, place: Place): void => {
      tree.each(element, (node) => {
        const { nodeType } = tree.plain(node);
        if (nodeType === 1) visit(node as Element, place);
        if (nodeType !== 3) return;
        const text = node.nodeValue ?? '';
        const says = /\S/.test(text);
        if (says && !block.isOpen) open(block);
        if (block.isOpen) block.parts.push(text);
        if (says && !place.taken) block.own = true;
      });
    };

    const blocks: Block[] = [];
    const open = (block: Block): void => {
      const { element, sheet, rect, parts } = block;
      const given = roles.roleOf(element);
      const role = given === 'generic' || given === 'label' ? 'text' : given;
      block.isOpen = true;
      blocks.push(block);
      if (!block.listed) return;
      block.candidate = { element, role, sheet, rect, kind: 'text', proxy: null, text: parts };
      done.candidates.push(block.candidate);
    };

    const image = (element: Element, rect: DOMRect, sheet: FrameViewport, { taken }: Place): void => {
      const alt = element.getAttribute('alt') ?? element.getAttribute('aria-label') ?? '';
      if (alt.trim() && !taken)
        done.candidates.push({ element, role: 'image', sheet, rect, kind: 'text', proxy: null, text: [alt] });
    };

    /** A box or a field for a file often hides itself behind its label. @returns whether it is dealt with */
    const control = (element: Element, rect: DOMRect, { sheet, clear }: Place): boolean => {
      const { type, labels } = element as HTMLInputElement;
      if (type !== 'checkbox' && type !== 'radio' && type !== 'file') return false;
      const style = getComputedStyle(element);
      const hides =
        rect.width < 3 ||
        rect.height < 3 ||
        clear ||
        style.opacity === '0' ||
        style.visibility !== 'visible' ||
        style.clipPath !== 'none' ||
        style.pointerEvents === 'none' ||
        rect.right < 0 ||
        rect.bottom < 0;
      if (!hides) return false;
      for (const label of labels ?? []) {
        const box = label.getBoundingClientRect();
        if (!sight.within(box, sheet) || !label.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
          continue;
        const role = roles.widget(element) ?? type;
        done.candidates.push({ element, role, sheet, rect: box, kind: 'sure', proxy: label, text: [] });
        return true;
      }
      return false;
    };

    const frame = (
      element: Element,
      rect: DOMRect,
      style: CSSStyleDeclaration,
      place: Place,
      inView: boolean,
    ): void => {
      const { sheet } = place;
      const { offsetWidth } = element as HTMLElement;
      const scale = offsetWidth > 0 ? rect.width / offsetWidth : 1;
      const left = rect.left + (element.clientLeft + parseFloat(style.paddingLeft)) * scale;
      const topEdge = rect.top + (element.clientTop + parseFloat(style.paddingTop)) * scale;
      const seen = sight.within(rect, sheet);
      if (!inView || !seen || style.visibility !== 'visible' || place.clear) return;
      const inner: Omit<FrameViewport, 'document'> = {
        holder: element,
        outer: sheet,
        x: sheet.x + left * sheet.scale,
        y: sheet.y + topEdge * sheet.scale,
        scale: sheet.scale * scale,
        left: Math.max(0, (seen.left - left) / scale),
        top: Math.max(0, (seen.top - topEdge) / scale),
        right: (seen.right - left) / scale,
        bottom: (seen.bottom - topEdge) / scale,
      };
      let own: Document | null = null;
      try {
        own = (element as HTMLIFrameElement).contentDocument;
      } catch {
        own = null;
      }
      if (!own)
        return void done.opaque.push({
          element,
          sheet: { ...inner, document: sheet.document },
          after: done.candidates.at(-1) ?? null,
        });
      if (own.documentElement)
        visit(own.documentElement, {
          sheet: { ...inner, document: own },
          block: null,
          named: false,
          taken: false,
          pointer: false,
          clear: false,
        });
    };

    visit(top.document.documentElement, {
      sheet: top,
      block: null,
      named: false,
      taken: false,
      pointer: false,
      clear: false,
    });
    /* What only repeats a link is not there to be read a second time. */
    const repeats = new Set(blocks.flatMap(({ own, candidate }) => (own || !candidate ? [] : [candidate])));
    if (everywhere) for (const { parts } of blocks) done.texts.push(parts.join(''));
    return { ...done, candidates: done.candidates.filter((one) => one.kind !== 'text' || !repeats.has(one)) };
  };

  /** What a script listens on, when nothing else says what it is; the page as a whole is not meant. */
  function listening(element: Element): string | null {
    return element.localName === 'html' || element.localName === 'body' ? null : 'clickable';
  }

  /** Whether it shows something that is not among its nodes. */
  function mayHost(element: Element, tag: string, rect: DOMRect): boolean {
    if (
      !tag.includes('-') &&
      !(hosting.has(tag) && element.firstChild === null && rect.width >= 16 && rect.height >= 12)
    )
      return false;
    return tree.rootOf(element) === null;
  }
}

export type DomWalk = ReturnType<typeof domWalk>;
