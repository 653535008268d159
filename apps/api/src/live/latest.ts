/** A place for the newest of something: who takes gets what was given last, whatever came in between. */
export function latestValue<Value>() {
  let newest: { readonly value: Value } | undefined;
  let wake: () => void = () => undefined;
  return {
    give: (value: Value): void => {
      newest = { value };
      wake();
    },
    /** What was given, as soon as it is, until the signal aborts; after so many milliseconds without anything new the last one once more. */
    take: async function* (signal: AbortSignal, againMs: number): AsyncGenerator<Value> {
      let last: { readonly value: Value } | undefined;
      while (!signal.aborted) {
        if (!newest) {
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, againMs);
            const end = () => {
              clearTimeout(timer);
              signal.removeEventListener('abort', end);
              resolve();
            };
            wake = end;
            signal.addEventListener('abort', end, { once: true });
          });
          wake = () => undefined;
        }
        if (signal.aborted) return;
        last = newest ?? last;
        newest = undefined;
        if (last) yield last.value;
      }
    },
  };
}
