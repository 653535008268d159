/// <reference lib="dom" />
import { pageFunction } from './evaluate-functions.ts';

/** Events and effects of a drag in a document. */
export interface DragWatch {
  /** The page cancelled HTML drag and drop, and may follow the mouse instead. */
  isRefused: boolean;
  /** HTML drag and drop has begun and not ended. */
  isOpen: boolean;
  /** Effect of the drop; null before its end, and without HTML drag and drop. */
  effect: string | null;
  /** The page added, removed or moved elements. */
  hasMovedElements: boolean;
  /** True if the page differs from its state at the start, apart from the text selection. */
  isDifferent(): boolean;
  /** True if the text selection differs from that at the start. */
  isSelectionDifferent(): boolean;
  stop(): void;
}

/** Starts to observe a drag in a document with its open shadow roots. It changes nothing for the page. */
export const watchDrag = pageFunction((_: Element, __: undefined): DragWatch => {
  const MAX_ELEMENTS = 20_000;
  /** Values of attributes at the start, for those that have changed. */
  const attributes = new Map<Element, Map<string, string | null>>();
  /** Elements, text, a field, a scroll position. */
  let hasOtherChange = false;

  const onChange = (changes: readonly MutationRecord[]) => {
    for (const { type, target, attributeName, oldValue } of changes) {
      if (type === 'childList') watch.hasMovedElements = true;
      if (type !== 'attributes' || !(target instanceof Element)) hasOtherChange = true;
      else {
        const values = attributes.get(target) ?? new Map<string, string | null>();
        attributes.set(target, values);
        const name = attributeName ?? '';
        if (!values.has(name)) values.set(name, oldValue);
      }
    }
  };
  const observer = new MutationObserver(onChange);
  const onStart = (event: Event) => {
    if (!event.isTrusted) return;
    watch.isOpen = true;
    // The listeners of the page run after this one.
    setTimeout(() => {
      if (!event.defaultPrevented) return;
      watch.isRefused = true;
      watch.isOpen = false;
    });
  };
  const onEnd = (event: Event) => {
    if (!event.isTrusted) return;
    watch.effect = (event as DragEvent).dataTransfer?.dropEffect ?? null;
    watch.isOpen = false;
  };
  const onOtherChange = () => {
    hasOtherChange = true;
  };

  const roots: (Document | ShadowRoot)[] = [document];
  let count = 0;
  for (const root of roots)
    for (const { shadowRoot } of root.querySelectorAll('*')) {
      count += 1;
      if (count > MAX_ELEMENTS) break;
      if (shadowRoot instanceof ShadowRoot) roots.push(shadowRoot);
    }
  const imageOf = (canvas: HTMLCanvasElement): string => {
    try {
      return canvas.toDataURL();
    } catch {
      // An image of another site makes it unreadable.
      return '';
    }
  };
  /** Canvases under the pointer. One of WebGL reads as empty. */
  const canvases = roots
    .flatMap((root) => [...root.querySelectorAll<HTMLCanvasElement>('canvas:hover')])
    .map((canvas) => ({ canvas, image: imageOf(canvas) }));
  /** A style that a script has set has another spelling, and an empty attribute stays. */
  const comparable = (name: string, value: string | null): string => {
    if (name !== 'style') return value ?? '';
    const { style } = document.createElement('i');
    style.cssText = value ?? '';
    return style.cssText;
  };
  const address = location.href;
  const selectionText = () => String(getSelection());
  const initialSelection = selectionText();

  const options = { capture: true, passive: true };
  const watch: DragWatch = {
    ...{ isRefused: false, isOpen: false, effect: null, hasMovedElements: false },
    isDifferent: () => {
      onChange(observer.takeRecords());
      return (
        hasOtherChange ||
        location.href !== address ||
        [...attributes].some(([element, values]) =>
          [...values].some(([name, value]) => comparable(name, element.getAttribute(name)) !== comparable(name, value)),
        ) ||
        canvases.some(({ canvas, image }) => imageOf(canvas) !== image)
      );
    },
    isSelectionDifferent: () => selectionText() !== initialSelection,
    stop: () => {
      removeEventListener('dragstart', onStart, options);
      removeEventListener('dragend', onEnd, options);
      for (const root of roots)
        for (const type of ['input', 'change', 'scroll']) root.removeEventListener(type, onOtherChange, options);
      observer.disconnect();
    },
  };
  addEventListener('dragstart', onStart, options);
  addEventListener('dragend', onEnd, options);
  const changes = {
    ...{ subtree: true, childList: true, attributes: true, characterData: true },
    attributeOldValue: true,
  };
  for (const root of roots) {
    for (const type of ['input', 'change', 'scroll']) root.addEventListener(type, onOtherChange, options);
    observer.observe(root instanceof Document ? (root.querySelector('body') ?? root.documentElement) : root, changes);
  }
  return watch;
});

/** Facts that decide about the delivery, read from a `DragWatch`. */
export interface DragState {
  /** HTML drag and drop has not ended, or the page has removed the dragged element. */
  readonly isOpen: boolean;
  readonly isRefused: boolean;
  readonly effect: string | null;
  readonly hasMovedElements: boolean;
  readonly isDifferent: boolean;
  readonly isSelectionDifferent: boolean;
}

/** Reads the state of a drag. */
export const dragState = pageFunction((watch: DragWatch, _: undefined): DragState => {
  const isDifferent = watch.isDifferent();
  const { isOpen, isRefused, effect, hasMovedElements } = watch;
  return {
    ...{ isOpen, isRefused, effect, hasMovedElements, isDifferent },
    isSelectionDifferent: watch.isSelectionDifferent(),
  };
});

/** Ends the observation. */
export const stopDragWatch = pageFunction((watch: DragWatch, _: undefined) => watch.stop());
