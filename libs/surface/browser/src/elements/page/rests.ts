/// <reference lib="dom" />

/**
 * Waits until the document, and the frames in it that it reaches, have nothing to do that would soon change what they show. Runs in
 * the page, in the eye's world. A busy page is long in answering: it does so once it is idle.
 * @param ms after which it is given up
 */
export const waitForIdle = async (ms: number): Promise<boolean> => {
  /*
   * An idle page gets 50 ms at a time, less when a frame is wanted or a timer is due before. A timer that was due just then, and may have
   * set itself anew, has taken some of it, unless it did nothing.
   */
  const IDLE_MS = 49.85;
  const began = performance.now();
  const idleMs = () => new Promise<number>((tell) => requestIdleCallback((idle) => tell(idle.timeRemaining())));
  const documents = (of: Window): Document[] => {
    try {
      const inner = Array.from({ length: of.frames.length }, (_, index) => of.frames[index] as Window);
      return [of.document, ...inner.flatMap(documents)];
    } catch {
      /* Of another origin: its own eye is asked. */
      return [];
    }
  };
  const isDone = () =>
    documents(window).every(
      (one) =>
        one.readyState === 'complete' &&
        one.fonts.status === 'loaded' &&
        !one.getAnimations().some(({ playState }) => playState === 'running'),
    );
  do {
    /* Asked from the answer to the one before, it is of the time after that. */
    if (!isDone() || performance.now() - began > ms) return false;
  } while ((await idleMs()) < IDLE_MS);
  return isDone();
};
