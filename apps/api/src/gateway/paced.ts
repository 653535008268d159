/**
 * Passes on the newest of what is given: the first at once, then what is new at most every so many milliseconds, and the last once more after a
 * while without anything new, for who came meanwhile. Nothing after the end.
 */
export function throttleLatest<Value>(everyMs: number, againMs: number, pass: (value: Value) => void) {
  let newest: { readonly value: Value; isTold: boolean } | undefined;
  let toldAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const tick = () => {
    timer = setTimeout(tick, everyMs).unref();
    const now = performance.now();
    if (!newest || (newest.isTold && now - toldAt < againMs)) return;
    newest.isTold = true;
    toldAt = now;
    pass(newest.value);
  };
  return {
    give: (value: Value): void => {
      if (isOver) return;
      newest = { value, isTold: false };
      if (!timer) tick();
    },
    end: (): void => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
