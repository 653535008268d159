/** Spec files that one jest process runs. */
export interface SpecBatch {
  readonly suite: string;
  readonly files: readonly string[];
}

/**
 * Splits the spec files of suites into batches.
 * @param specs suite → spec files
 * @param maxFiles maximum number of files per batch of a suite
 * @param isInterleaved true: the first batch of each suite, then the second of each. A run that ends early then covers
 * every suite. False: suite by suite
 */
export function specBatches(
  specs: ReadonlyMap<string, readonly string[]>,
  maxFiles: (suite: string) => number,
  { isInterleaved }: { readonly isInterleaved: boolean },
): SpecBatch[] {
  const batchesBySuite = [...specs].map(([suite, files]) => {
    const size = maxFiles(suite);
    return Array.from({ length: Math.ceil(files.length / size) }, (_, index) => ({
      suite,
      files: files.slice(index * size, (index + 1) * size),
    }));
  });
  if (!isInterleaved) return batchesBySuite.flat();
  const roundCount = Math.max(0, ...batchesBySuite.map(({ length }) => length));
  return Array.from({ length: roundCount }, (_, round) =>
    batchesBySuite.flatMap((batches) => batches.slice(round, round + 1)),
  ).flat();
}
