/**
 * Range of a long list around the selected row.
 * @param selected index of the selected row; below 0: none
 * @returns first index, and the index after the last
 */
export function nearestRows(count: number, selected: number, max: number): { start: number; end: number } {
  const first = (selected < 0 ? 0 : selected) - Math.floor(max / 2);
  const start = Math.max(0, Math.min(first, count - max));
  return { start, end: Math.min(count, start + max) };
}
