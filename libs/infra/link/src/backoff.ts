/** First and largest wait between two tries to connect, in milliseconds. */
const FIRST_MS = 50;
const MOST_MS = 2_000;

/**
 * Milliseconds to wait before the next try: anything between nothing and a bound that doubles, so that a thousand workers that
 * lost the same gateway do not come back in the same instant.
 * @param failures tries that failed since the last welcome
 * @param random between 0 and 1
 */
export const backoffMs = (failures: number, random: number) =>
  Math.round(random * Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures, 10)));
