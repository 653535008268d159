/** Slots from which on a worker has many short runs rather than a few with pages. */
export const MANY_SLOTS_MIN = 100;

/**
 * What Node is told of a worker with so many slots, for its environment. A short run allocates some 100 kB and lives as long as a commit: with many of
 * them in the usual space for new objects (16 MB) each is copied twice and dies among the old ones, and so it is with a thousand of them in 64 MB,
 * which took some 13 % of all that a run costs (docs/performance.md). The room, up to 384 MB, is taken only where it is needed.
 */
export const workerNodeOptions = (slots: number): { NODE_OPTIONS?: string } =>
  slots >= MANY_SLOTS_MIN ? { NODE_OPTIONS: '--max-semi-space-size=128' } : {};
