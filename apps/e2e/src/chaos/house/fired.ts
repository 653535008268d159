/** The orders for failpoints that a process says it carried out, as `name:count=deed`. */
export const firedIn = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => /^failpoint (\S+)$/.exec(line)?.[1] ?? []);
