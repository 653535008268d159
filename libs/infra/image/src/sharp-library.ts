const load = async () => {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
};
let loading: ReturnType<typeof load> | undefined;

/** Loads sharp with its first use, without its cache and with one thread. */
export const loadSharp = (): ReturnType<typeof load> => (loading ??= load());
