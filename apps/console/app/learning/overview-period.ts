/** Periods of the overview in days. */
export const overviewPeriods = [7, 30, 90] as const;
export type OverviewPeriod = (typeof overviewPeriods)[number];

const DAY_MS = 86_400_000;

/** Period of a URL, 30 days by default. */
export const periodOf = (search: URLSearchParams): OverviewPeriod =>
  overviewPeriods.find((days) => String(days) === search.get('days')) ?? 30;

/** First UTC day of a period that ends today. @param now milliseconds since 1970 */
export const firstDayOf = (period: OverviewPeriod, now: number): string =>
  new Date(now - (period - 1) * DAY_MS).toISOString().slice(0, 10);

/** One entry for each day of a period, with `empty` for days without an entry. */
export function fillDays<Entry extends { day: string }>(
  entries: readonly Entry[],
  period: OverviewPeriod,
  now: number,
  empty: Omit<Entry, 'day'>,
): Entry[] {
  const byDay = new Map(entries.map((entry) => [entry.day, entry]));
  const first = Date.parse(firstDayOf(period, now));
  return Array.from({ length: period }, (_, index) => {
    const day = new Date(first + index * DAY_MS).toISOString().slice(0, 10);
    return byDay.get(day) ?? ({ ...empty, day } as Entry);
  });
}
