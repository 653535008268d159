/// <reference lib="dom" />

/**
 * Waits until the document and the frames it can reach have nothing to do that would soon change them. A busy page
 * answers once it is idle. Sent as source, too: it uses only its argument and the globals of the page.
 * @param ms maximum wait
 */
export const waitForIdle = async (ms: number): Promise<boolean> => {
  // An idle page gets 50 ms per idle callback, less if a frame or a timer is due. A timer that has just run, and may
  // have rescheduled itself, uses part of it unless it did nothing.
  const IDLE_MS = 49.85;
  const startedAt = performance.now();
  const idleMs = () => new Promise<number>((resolve) => requestIdleCallback((idle) => resolve(idle.timeRemaining())));
  const documents = (top: Window): Document[] => {
    try {
      const inner = Array.from({ length: top.frames.length }, (_, index) => top.frames[index] as Window);
      return [top.document, ...inner.flatMap(documents)];
    } catch {
      // Another origin has its own snapshot script.
      return [];
    }
  };
  const areDocumentsIdle = () =>
    documents(window).every(
      (document) =>
        document.readyState === 'complete' &&
        document.fonts.status === 'loaded' &&
        !document.getAnimations().some(({ playState }) => playState === 'running'),
    );
  do {
    // Each callback is requested after the previous one, so it covers the time after that.
    if (!areDocumentsIdle() || performance.now() - startedAt > ms) return false;
  } while ((await idleMs()) < IDLE_MS);
  return areDocumentsIdle();
};
