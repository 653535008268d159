/**
 * Range of a long list around the selected row.
 * @param at index of the selected row; below 0: none
 * @returns first index, and the index after the last
 */
export function nearestRows(count: number, at: number, max: number): { from: number; to: number } {
  const first = (at < 0 ? 0 : at) - Math.floor(max / 2);
  const from = Math.max(0, Math.min(first, count - max));
  return { from, to: Math.min(count, from + max) };
}
