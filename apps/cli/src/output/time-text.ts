const twoDigits = (n: number) => String(n).padStart(2, '0');

/** Formats seconds: `0.8 s`, `31 s`, `1 min 05 s`, `2 h 03 min`, `3 d 4 h`. */
export function duration(seconds: number): string {
  const wholeSeconds = Math.round(seconds);
  if (seconds < 9.95) return `${Math.max(0, seconds).toFixed(1)} s`;
  if (wholeSeconds < 60) return `${wholeSeconds} s`;
  if (wholeSeconds < 3600) return `${Math.floor(wholeSeconds / 60)} min ${twoDigits(wholeSeconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
  const hours = Math.round(seconds / 3600);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Seconds between two instants. */
export const secondsBetween = (start: string | Date, end: string | Date) =>
  (new Date(end).getTime() - new Date(start).getTime()) / 1000;

/** Time relative to now: `just now`, `4 min ago`, `in 3 d`; beyond a month the date. */
export function relative(instant: string, now: Date): string {
  const seconds = secondsBetween(instant, now);
  const distance = Math.abs(seconds);
  if (distance < 5) return 'just now';
  const withDirection = (text: string) => (seconds > 0 ? `${text} ago` : `in ${text}`);
  if (distance < 60) return withDirection(`${Math.round(distance)} s`);
  if (distance < 3600) return withDirection(`${Math.round(distance / 60)} min`);
  if (distance < 86_400) return withDirection(`${Math.round(distance / 3600)} h`);
  if (distance < 31 * 86_400) return withDirection(`${Math.round(distance / 86_400)} d`);
  return instant.slice(0, 10);
}

/** Local time with milliseconds: `2026-05-04 12:03:04.123`. */
export function localTime(instant: string): string {
  const date = new Date(instant);
  const day = `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
  const time = `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}:${twoDigits(date.getSeconds())}`;
  return `${day} ${time}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Parses a duration to seconds: `45`, `45s`, `30m`, `12h`, `90d`, `2w`; null if it is invalid. */
export function parseDuration(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*(s|m|h|d|w)?$/.exec(text.trim());
  if (!match) return null;
  return Number(match[1]) * (units[match[2] ?? 's'] ?? 1);
}
