/// <reference lib="dom" />
import type { ObservationLevel } from '@pilothouse/contract/actions/extraction.schema';
import type { AriaRoles } from './aria-roles.ts';
import type { DomTree } from './dom-tree.ts';
import { innerViewport } from './frame-viewport.ts';
import { plain } from './native-properties.ts';
import type { FrameViewport, Visibility } from './visibility.ts';
import type { Candidate, WalkResult } from './walk-result.ts';

/** Block of text that is being read. */
interface Block {
  readonly parts: string[];
  readonly element: Element;
  readonly rect: DOMRect;
  readonly viewport: FrameViewport;
  /** True if it is in view and not part of the name of a listed element. */
  readonly isListed: boolean;
  /** True if some of its text is outside of links. */
  isStandalone: boolean;
  isOpen: boolean;
  candidate: Candidate | null;
}

/** Position of a node relative to listed elements. */
interface Nesting {
  /** Inside an interactive element that is named by its content. */
  readonly isNamedByAncestor: boolean;
  /** Inside an interactive element. */
  readonly isInsideInteractive: boolean;
}

interface VisitContext extends Nesting {
  readonly viewport: FrameViewport;
  readonly block: Block | null;
  readonly hasPointerCursor: boolean;
  readonly isTransparent: boolean;
}

/** Element that is visited, in view or with the whole page. */
interface Visited {
  readonly element: Element;
  readonly tag: string;
  readonly rect: DOMRect;
  readonly style: CSSStyleDeclaration;
  readonly isInView: boolean;
  readonly isTransparent: boolean;
  readonly isVisible: boolean;
  readonly hasPointerCursor: boolean;
}

const tagSet = (tags: string) => new Set(tags.split(' '));
const SKIPPED_TAGS = tagSet(
  'script style template noscript head meta link title base br wbr source track param datalist optgroup option',
);
// Elements that may host a shadow root without a custom element name.
const HOST_TAGS = tagSet('article aside blockquote div footer header main nav p section');
const FRAME_TAGS = tagSet('iframe frame');
/** Their content is their value. */
const FIELD_TAGS = tagSet('select textarea input');
const BLOCK_DISPLAY = /^(?:block|flex|grid|list-item|table|table-row|table-caption|flow-root)$/;

/** A taller element with a widget role may contain more than its name. */
const MAX_NAMED_HEIGHT_PX = 120;

const isEmptyBox = ({ width, height }: DOMRect) => width === 0 && height === 0;

const isInside = (rect: DOMRect, { left, top, right, bottom }: FrameViewport): boolean =>
  rect.width > 0 && rect.height > 0 && rect.left < right && rect.right > left && rect.top < bottom && rect.bottom > top;

/** True if the element and its content are not rendered. */
const isUnrendered = (element: Element, rect: DOMRect): boolean =>
  isEmptyBox(rect) && !plain(element).checkVisibility() && getComputedStyle(element).display !== 'contents';

/** True if a person does not see the control itself, but perhaps its label. */
const isControlHidden = (element: Element, rect: DOMRect, isTransparent: boolean): boolean => {
  const style = getComputedStyle(element);
  return (
    rect.width < 3 ||
    rect.height < 3 ||
    isTransparent ||
    style.opacity === '0' ||
    style.visibility !== 'visible' ||
    style.clipPath !== 'none' ||
    style.pointerEvents === 'none' ||
    rect.right < 0 ||
    rect.bottom < 0
  );
};

/** Returns the document of a frame; null if it belongs to another process. */
const documentIn = (frame: Element): Document | null => {
  try {
    return (frame as HTMLIFrameElement).contentDocument;
  } catch {
    return null;
  }
};

/** Returns the role of an element with a click listener; null for the page as a whole. */
const roleOfListener = ({ localName }: Element): string | null =>
  localName === 'html' || localName === 'body' ? null : 'clickable';

const contextOfDocument = (viewport: FrameViewport): VisitContext => ({
  viewport,
  block: null,
  isNamedByAncestor: false,
  isInsideInteractive: false,
  hasPointerCursor: false,
  isTransparent: false,
});

/**
 * Walks the rendered page once and collects the candidates of the list.
 * @param hasListener true if a page script listens for clicks on an element
 */
export function domWalk(
  tree: DomTree,
  roles: AriaRoles,
  visibility: Visibility,
  hasListener: (element: Element) => boolean,
) {
  return (top: FrameViewport, level: ObservationLevel): WalkResult => {
    const readsText = level !== 'interactive';
    const isWholePage = level === 'page';
    const result: WalkResult = { candidates: [], opaque: [], opaqueRegions: [], hosts: [], texts: [] };
    const blocks: Block[] = [];

    const visit = (element: Element, context: VisitContext): void => {
      const native = plain(element);
      const tag = native.localName;
      if (SKIPPED_TAGS.has(tag)) return;
      const rect = native.getBoundingClientRect();
      if (isUnrendered(element, rect)) {
        if (tag === 'input') visitHiddenControl(element, rect, context);
        return;
      }
      if (tag === 'input' && visitHiddenControl(element, rect, context)) return;
      const isInView = isInside(rect, context.viewport);
      if (isInView || isWholePage) return visitShown(visitedElement(element, tag, rect, isInView, context), context);
      if (FRAME_TAGS.has(tag)) return;
      const isPlainContext = !context.block && !context.hasPointerCursor;
      visitChildren(element, isPlainContext ? context : { ...context, block: null, hasPointerCursor: false });
    };

    const visitedElement = (
      element: Element,
      tag: string,
      rect: DOMRect,
      isInView: boolean,
      context: VisitContext,
    ): Visited => {
      const style = getComputedStyle(element);
      const isTransparent = context.isTransparent || style.opacity === '0';
      const isVisible = style.visibility === 'visible' && !isTransparent;
      const hasPointerCursor = style.cursor === 'pointer';
      return { element, tag, rect, style, isInView, isTransparent, isVisible, hasPointerCursor };
    };

    const visitShown = (visited: Visited, context: VisitContext): void => {
      const { element, tag, isVisible, isTransparent, hasPointerCursor } = visited;
      const nesting = visited.isInView ? listElement(visited, context) : context;
      if (FRAME_TAGS.has(tag)) return visitFrame(visited, context);
      if (FIELD_TAGS.has(tag)) return;
      // The text of a label is the name of its field, which is listed itself.
      const isFieldLabel = tag === 'label' && Boolean((element as HTMLLabelElement).control);
      const isNamedByAncestor = nesting.isNamedByAncestor || isFieldLabel;
      if (readsText && tag === 'img' && isVisible && visited.isInView && !isNamedByAncestor)
        listImage(visited, context);
      const block = readsText ? blockFor(visited, isNamedByAncestor, context) : context.block;
      const { isInsideInteractive } = nesting;
      const { viewport } = context;
      const inner = { viewport, block, isNamedByAncestor, isInsideInteractive, hasPointerCursor, isTransparent };
      if (block && isVisible && (isWholePage || !isNamedByAncestor)) visitText(element, block, inner);
      else visitChildren(element, inner);
    };

    /** Lists an element in view. @returns the nesting of its content */
    const listElement = (visited: Visited, context: VisitContext): Nesting => {
      const { element, tag, rect, style, isVisible } = visited;
      const { viewport, isNamedByAncestor, isInsideInteractive } = context;
      const role = inputRoleOf(visited);
      const isListable = isVisible || (style.visibility === 'visible' && tag === 'input');
      const isListed = role !== null && isListable;
      const suggestsInput = visited.hasPointerCursor && !context.hasPointerCursor && !isInsideInteractive;
      if (isListed) {
        result.candidates.push({ element, role, viewport, rect, kind: 'sure', proxy: null, text: [] });
      } else if (suggestsInput && isVisible && tag !== 'label') {
        result.candidates.push({ element, role: 'clickable', viewport, rect, kind: 'likely', proxy: null, text: [] });
      }
      if (tag === 'canvas') result.opaqueRegions.push({ kind: 'canvas', element, viewport });
      if (tag === 'embed' || tag === 'object') result.opaqueRegions.push({ kind: 'embedded', element, viewport });
      if (mayHost(element, tag, rect)) result.hosts.push(element);
      if (!isListed) return context;
      return { isInsideInteractive: true, isNamedByAncestor: isNamedByAncestor || isNamedByContent(role, rect) };
    };

    /** Returns the role of an element that accepts input, otherwise null. */
    const inputRoleOf = ({ element, isVisible }: Visited): string | null => {
      const role = roles.widget(element);
      if (role !== null || !isVisible || !hasListener(element)) return role;
      return roles.explicit(element) ?? roleOfListener(element);
    };

    const isNamedByContent = (role: string, { height }: DOMRect): boolean =>
      roles.fromContent.has(role) && role !== 'link' && (roles.widgets.has(role) || height < MAX_NAMED_HEIGHT_PX);

    /** Returns the block that the text of an element belongs to. */
    const blockFor = (visited: Visited, isNamedByAncestor: boolean, context: VisitContext): Block => {
      const { element, rect, style, isInView } = visited;
      const { block, viewport } = context;
      if (block && !BLOCK_DISPLAY.test(style.display) && (!isNamedByAncestor || context.isNamedByAncestor)) {
        if (style.display === 'table-cell' && block.isOpen) block.parts.push(' | ');
        return block;
      }
      const isListed = isInView && !isNamedByAncestor && rect.width > 1 && rect.height > 1;
      return { parts: [], element, rect, viewport, isListed, isStandalone: false, isOpen: false, candidate: null };
    };

    /** Visits the rendered children. */
    const visitChildren = (element: Element, context: VisitContext): void =>
      tree.forEachElement(element, (inner) => visit(inner, context));

    /** Visits children and text in order. A block is listed at the position of its first text. */
    const visitText = (element: Element, block: Block, context: VisitContext): void => {
      tree.forEachNode(element, (node) => {
        const { nodeType } = plain(node);
        if (nodeType === 1) visit(node as Element, context);
        if (nodeType !== 3) return;
        const text = node.nodeValue ?? '';
        const hasText = /\S/.test(text);
        if (hasText && !block.isOpen) openBlock(block);
        if (block.isOpen) block.parts.push(text);
        if (hasText && !context.isInsideInteractive) block.isStandalone = true;
      });
    };

    const openBlock = (block: Block): void => {
      const { element, viewport, rect, parts } = block;
      const reportedRole = roles.roleOf(element);
      const role = reportedRole === 'generic' || reportedRole === 'label' ? 'text' : reportedRole;
      block.isOpen = true;
      blocks.push(block);
      if (!block.isListed) return;
      block.candidate = { element, role, viewport, rect, kind: 'text', proxy: null, text: parts };
      result.candidates.push(block.candidate);
    };

    const listImage = ({ element, rect }: Visited, { viewport, isInsideInteractive }: VisitContext): void => {
      const alt = element.getAttribute('alt') ?? element.getAttribute('aria-label') ?? '';
      if (alt.trim() && !isInsideInteractive)
        result.candidates.push({ element, role: 'image', viewport, rect, kind: 'text', proxy: null, text: [alt] });
    };

    /**
     * Lists a checkbox, radio button or file field that is hidden behind its label.
     * @returns true if it was listed
     */
    const visitHiddenControl = (element: Element, rect: DOMRect, context: VisitContext): boolean => {
      const { viewport } = context;
      const { type, labels } = element as HTMLInputElement;
      if (type !== 'checkbox' && type !== 'radio' && type !== 'file') return false;
      if (!isControlHidden(element, rect, context.isTransparent)) return false;
      for (const label of labels ?? []) {
        const box = label.getBoundingClientRect();
        if (!visibility.clip(box, viewport)) continue;
        if (!label.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
        const role = roles.widget(element) ?? type;
        result.candidates.push({ element, role, viewport, rect: box, kind: 'sure', proxy: label, text: [] });
        return true;
      }
      return false;
    };

    const visitFrame = ({ element, rect, style, isInView }: Visited, context: VisitContext): void => {
      const { viewport } = context;
      const visiblePart = visibility.clip(rect, viewport);
      if (!isInView || !visiblePart || style.visibility !== 'visible' || context.isTransparent) return;
      const { offsetWidth } = element as HTMLElement;
      const insetLeft = element.clientLeft + parseFloat(style.paddingLeft);
      const insetTop = element.clientTop + parseFloat(style.paddingTop);
      const inner = innerViewport(element, { rect, offsetWidth, insetLeft, insetTop }, visiblePart, viewport);
      const frameDocument = documentIn(element);
      if (!frameDocument) {
        const previous = result.candidates.at(-1) ?? null;
        result.opaque.push({ element, viewport: { ...inner, document: viewport.document }, previous });
      } else if (frameDocument.documentElement) {
        visit(frameDocument.documentElement, contextOfDocument({ ...inner, document: frameDocument }));
      }
    };

    visit(top.document.documentElement, contextOfDocument(top));
    // Text that only repeats a link is not listed again.
    const repeats = new Set(
      blocks.flatMap(({ isStandalone, candidate }) => (isStandalone || !candidate ? [] : [candidate])),
    );
    if (isWholePage) for (const { parts } of blocks) result.texts.push(parts.join(''));
    const candidates = result.candidates.filter((candidate) => candidate.kind !== 'text' || !repeats.has(candidate));
    return { ...result, candidates };
  };

  /** True if it may render content that is not among its nodes. */
  function mayHost(element: Element, tag: string, { width, height }: DOMRect): boolean {
    const isEmptyHost = HOST_TAGS.has(tag) && element.firstChild === null && width >= 16 && height >= 12;
    return (tag.includes('-') || isEmptyHost) && tree.rootOf(element) === null;
  }
}

export type DomWalk = ReturnType<typeof domWalk>;
