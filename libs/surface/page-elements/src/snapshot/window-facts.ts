/// <reference lib="dom" />

/** Window and viewport of a page, as the browser reports them. */
export interface PageWindowFacts {
  /** Address of the document. */
  readonly url: string;
  readonly readyState: 'loading' | 'interactive' | 'complete';
  /** False in a tab behind another one. */
  readonly isVisible: boolean;
  /** False while a bar of the browser, or another window, has the keyboard focus. */
  readonly isFocused: boolean;
  /** Outer bounds of the window in device-independent pixels (DIP). */
  readonly window: { x: number; y: number; width: number; height: number };
  /** Layout viewport in CSS pixels, with scroll bars. */
  readonly viewport: { width: number; height: number };
  /** 1 unless a pinch gesture enlarges a part of the page. */
  readonly pinchScale: number;
}

/** Reads the window and the viewport of the page. */
export const windowFacts = (): PageWindowFacts => ({
  url: location.href,
  readyState: document.readyState,
  isVisible: document.visibilityState === 'visible',
  isFocused: document.hasFocus(),
  window: { x: screenX, y: screenY, width: outerWidth, height: outerHeight },
  viewport: { width: innerWidth, height: innerHeight },
  pinchScale: visualViewport?.scale ?? 1,
});
