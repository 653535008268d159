/**
 * Which part of a long list is drawn: so many around the one that is looked at.
 * @param at place of that one; below 0: none
 * @returns the first place, and the one behind the last
 */
export function nearestRows(count: number, at: number, max: number): { from: number; to: number } {
  const first = (at < 0 ? 0 : at) - Math.floor(max / 2);
  const from = Math.max(0, Math.min(first, count - max));
  return { from, to: Math.min(count, from + max) };
}
