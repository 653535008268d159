/// <reference lib="dom" />
import type { OpaqueRegion } from '@pilothouse/contract/observation/observation.schema';
import type { ObservationLevel } from '@pilothouse/contract/actions/extraction.schema';
import type { AriaRoles } from './aria-roles.ts';
import type { FrameViewport, Visibility } from './visibility.ts';
import type { DomTree } from './dom-tree.ts';
import { plain } from './native-properties.ts';

/** Candidate for the element list. */
export interface Candidate {
  readonly element: Element;
  readonly role: string;
  readonly viewport: FrameViewport;
  readonly rect: DOMRect;
  /** `sure`: accepts input. `likely`: only its cursor suggests it. `text`: readable content. */
  readonly kind: 'sure' | 'likely' | 'text';
  /** Element to click instead: the label of a control that is not visible. */
  readonly proxy: Element | null;
  /** Parts of the text. */
  readonly text: string[];
}

/** Frame whose document belongs to another process. */
interface OpaqueFrame {
  readonly element: Element;
  /** The candidate before it. */
  readonly after: Candidate | null;
  readonly viewport: FrameViewport;
}

interface WalkResult {
  readonly candidates: Candidate[];
  readonly opaque: OpaqueFrame[];
  readonly opaqueRegions: { kind: OpaqueRegion['kind']; element: Element; viewport: FrameViewport }[];
  /** Elements that may have a closed shadow root. */
  readonly hosts: Element[];
  /** Text of the whole page by block. */
  readonly texts: string[];
}

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

interface VisitContext {
  readonly viewport: FrameViewport;
  readonly block: Block | null;
  /** Inside an interactive element that is named by its content. */
  readonly isNamedByAncestor: boolean;
  /** Inside an interactive element. */
  readonly isInsideInteractive: boolean;
  readonly hasPointerCursor: boolean;
  readonly isTransparent: boolean;
}

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
  const skipped = new Set(
    'script style template noscript head meta link title base br wbr source track param datalist optgroup option'.split(
      ' ',
    ),
  );
  // Elements that may host a shadow root without a custom element name.
  const hostTags = new Set('article aside blockquote div footer header main nav p section'.split(' '));
  const blockDisplay = /^(?:block|flex|grid|list-item|table|table-row|table-caption|flow-root)$/;

  return (top: FrameViewport, level: ObservationLevel): WalkResult => {
    const reads = level !== 'interactive';
    const everywhere = level === 'page';
    const result: WalkResult = { candidates: [], opaque: [], opaqueRegions: [], hosts: [], texts: [] };

    const visit = (element: Element, context: VisitContext): void => {
      const native = plain(element);
      const tag = native.localName;
      if (skipped.has(tag)) return;
      const rect = native.getBoundingClientRect();
      const isBox = rect.width > 0 && rect.height > 0;
      if (!isBox && rect.width === 0 && rect.height === 0 && !native.checkVisibility()) {
        if (getComputedStyle(element).display !== 'contents') {
          if (tag === 'input') visitHiddenControl(element, rect, context);
          return;
        }
      }
      const { viewport } = context;
      const inView =
        isBox &&
        rect.left < viewport.right &&
        rect.right > viewport.left &&
        rect.top < viewport.bottom &&
        rect.bottom > viewport.top;
      if (tag === 'input' && visitHiddenControl(element, rect, context)) return;
      if (!inView && !everywhere) {
        if (tag !== 'iframe' && tag !== 'frame')
          visitChildren(
            element,
            context.block || context.hasPointerCursor ? { ...context, block: null, hasPointerCursor: false } : context,
          );
        return;
      }

      const style = getComputedStyle(element);
      const isTransparent = context.isTransparent || style.opacity === '0';
      const visible = style.visibility === 'visible' && !isTransparent;
      const isPointer = style.cursor === 'pointer';
      let { isNamedByAncestor, isInsideInteractive, block } = context;
      if (inView) {
        let role = roles.widget(element);
        if (role === null && visible && hasListener(element)) role = roles.explicit(element) ?? roleOfListener(element);
        const isListable = visible || (style.visibility === 'visible' && tag === 'input');
        if (role !== null && isListable) {
          result.candidates.push({ element, role, viewport, rect, kind: 'sure', proxy: null, text: [] });
          isInsideInteractive = true;
          if (roles.fromContent.has(role) && role !== 'link' && (roles.widgets.has(role) || rect.height < 120))
            isNamedByAncestor = true;
        } else if (isPointer && !context.hasPointerCursor && !isInsideInteractive && visible && tag !== 'label') {
          result.candidates.push({
            element,
            role: 'clickable',
            viewport,
            rect,
            kind: 'likely',
            proxy: null,
            text: [],
          });
        }
        if (tag === 'canvas') result.opaqueRegions.push({ kind: 'canvas', element, viewport });
        if (tag === 'embed' || tag === 'object') result.opaqueRegions.push({ kind: 'embedded', element, viewport });
        if (mayHost(element, tag, rect)) result.hosts.push(element);
      }
      if (tag === 'iframe' || tag === 'frame') return visitFrame(element, rect, style, context, inView);
      if (tag === 'select' || tag === 'textarea' || tag === 'input') return;

      // The text of a label is the name of its field, which is listed itself.
      if (tag === 'label' && (element as HTMLLabelElement).control) isNamedByAncestor = true;
      if (reads) {
        if (tag === 'img' && visible && inView && !isNamedByAncestor) visitImage(element, rect, viewport, context);
        if (!block || blockDisplay.test(style.display) || (isNamedByAncestor && !context.isNamedByAncestor)) {
          const isListed = inView && !isNamedByAncestor && rect.width > 1 && rect.height > 1;
          block = {
            parts: [],
            element,
            rect,
            viewport,
            isListed,
            isStandalone: false,
            isOpen: false,
            candidate: null,
          };
        } else if (style.display === 'table-cell' && block.isOpen) block.parts.push(' | ');
      }
      const inner: VisitContext = {
        viewport,
        block,
        isNamedByAncestor,
        isInsideInteractive,
        hasPointerCursor: isPointer,
        isTransparent,
      };
      if (block && visible && (everywhere || !isNamedByAncestor)) visitText(element, block, inner);
      else visitChildren(element, inner);
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

    const blocks: Block[] = [];
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

    const visitImage = (
      element: Element,
      rect: DOMRect,
      viewport: FrameViewport,
      { isInsideInteractive }: VisitContext,
    ): void => {
      const alt = element.getAttribute('alt') ?? element.getAttribute('aria-label') ?? '';
      if (alt.trim() && !isInsideInteractive)
        result.candidates.push({ element, role: 'image', viewport, rect, kind: 'text', proxy: null, text: [alt] });
    };

    /**
     * Lists a checkbox, radio button or file field that is hidden behind its label.
     * @returns true if it was listed
     */
    const visitHiddenControl = (
      element: Element,
      rect: DOMRect,
      { viewport, isTransparent }: VisitContext,
    ): boolean => {
      const { type, labels } = element as HTMLInputElement;
      if (type !== 'checkbox' && type !== 'radio' && type !== 'file') return false;
      const style = getComputedStyle(element);
      const isHidden =
        rect.width < 3 ||
        rect.height < 3 ||
        isTransparent ||
        style.opacity === '0' ||
        style.visibility !== 'visible' ||
        style.clipPath !== 'none' ||
        style.pointerEvents === 'none' ||
        rect.right < 0 ||
        rect.bottom < 0;
      if (!isHidden) return false;
      for (const label of labels ?? []) {
        const box = label.getBoundingClientRect();
        if (
          !visibility.within(box, viewport) ||
          !label.checkVisibility({ visibilityProperty: true, opacityProperty: true })
        )
          continue;
        const role = roles.widget(element) ?? type;
        result.candidates.push({ element, role, viewport, rect: box, kind: 'sure', proxy: label, text: [] });
        return true;
      }
      return false;
    };

    const visitFrame = (
      element: Element,
      rect: DOMRect,
      style: CSSStyleDeclaration,
      context: VisitContext,
      inView: boolean,
    ): void => {
      const { viewport } = context;
      const { offsetWidth } = element as HTMLElement;
      const scale = offsetWidth > 0 ? rect.width / offsetWidth : 1;
      const left = rect.left + (element.clientLeft + parseFloat(style.paddingLeft)) * scale;
      const topEdge = rect.top + (element.clientTop + parseFloat(style.paddingTop)) * scale;
      const visiblePart = visibility.within(rect, viewport);
      if (!inView || !visiblePart || style.visibility !== 'visible' || context.isTransparent) return;
      const inner: Omit<FrameViewport, 'document'> = {
        frameElement: element,
        outer: viewport,
        x: viewport.x + left * viewport.scale,
        y: viewport.y + topEdge * viewport.scale,
        scale: viewport.scale * scale,
        left: Math.max(0, (visiblePart.left - left) / scale),
        top: Math.max(0, (visiblePart.top - topEdge) / scale),
        right: (visiblePart.right - left) / scale,
        bottom: (visiblePart.bottom - topEdge) / scale,
      };
      let frameDocument: Document | null = null;
      try {
        frameDocument = (element as HTMLIFrameElement).contentDocument;
      } catch {
        frameDocument = null;
      }
      if (!frameDocument)
        return void result.opaque.push({
          element,
          viewport: { ...inner, document: viewport.document },
          after: result.candidates.at(-1) ?? null,
        });
      if (frameDocument.documentElement)
        visit(frameDocument.documentElement, {
          viewport: { ...inner, document: frameDocument },
          block: null,
          isNamedByAncestor: false,
          isInsideInteractive: false,
          hasPointerCursor: false,
          isTransparent: false,
        });
    };

    visit(top.document.documentElement, {
      viewport: top,
      block: null,
      isNamedByAncestor: false,
      isInsideInteractive: false,
      hasPointerCursor: false,
      isTransparent: false,
    });
    // Text that only repeats a link is not listed again.
    const repeats = new Set(
      blocks.flatMap(({ isStandalone, candidate }) => (isStandalone || !candidate ? [] : [candidate])),
    );
    if (everywhere) for (const { parts } of blocks) result.texts.push(parts.join(''));
    return { ...result, candidates: result.candidates.filter((one) => one.kind !== 'text' || !repeats.has(one)) };
  };

  /** Returns the role of an element with a click listener; null for the page as a whole. */
  function roleOfListener(element: Element): string | null {
    return element.localName === 'html' || element.localName === 'body' ? null : 'clickable';
  }

  /** True if it may render content that is not among its nodes. */
  function mayHost(element: Element, tag: string, rect: DOMRect): boolean {
    if (
      !tag.includes('-') &&
      !(hostTags.has(tag) && element.firstChild === null && rect.width >= 16 && rect.height >= 12)
    )
      return false;
    return tree.rootOf(element) === null;
  }
}

export type DomWalk = ReturnType<typeof domWalk>;
