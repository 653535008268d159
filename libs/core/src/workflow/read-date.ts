import type { Reading } from './read-number.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const monthOf = (name: string) => {
  const index = months.indexOf(name.slice(0, 3).toLowerCase());
  const full = new Date(Date.UTC(2026, Math.max(index, 0), 1)).toLocaleString('en', { month: 'long', timeZone: 'UTC' });
  const known = name.length <= 4 ? name.length >= 3 : full.toLowerCase() === name.toLowerCase();
  return index >= 0 && known ? index + 1 : null;
};

function dateOf(year: number, month: number, day: number): Reading<string> {
  const date = new Date(Date.UTC(year, month - 1, day));
  const real = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return real ? { value: date.toISOString().slice(0, 10) } : { why: 'there is no such day' };
}

/**
 * The day in a text, as `YYYY-MM-DD`: ISO (a time after it is dropped), `21.11.2026`, `21 Nov 2026`, `November 21, 2026`, with or
 * without the weekday; `11/21/2026` and `21-11-2026` only where one order is possible.
 */
export function readDate(text: string): Reading<string> {
  const line = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[.,]? /i, '');
  const iso = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ]\d{2}:\d{2}.*)?$/.exec(line);
  if (iso) return dateOf(Number(iso[1]), Number(iso[3]), Number(iso[4]));
  const dotted = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/.exec(line);
  if (dotted) return dateOf(Number(dotted[3]), Number(dotted[2]), Number(dotted[1]));
  const named = /^(\d{1,2})(?:st|nd|rd|th|\.)?[ -]([A-Za-z]+)\.?,?[ -](\d{4})$/.exec(line);
  if (named) return withMonth(named[2] ?? '', Number(named[3]), Number(named[1]));
  const american = /^([A-Za-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/.exec(line);
  if (american) return withMonth(american[1] ?? '', Number(american[3]), Number(american[2]));
  const numbers = /^(\d{1,2})([/-])(\d{1,2})\2(\d{4})$/.exec(line);
  if (numbers) return eitherOrder(Number(numbers[1]), Number(numbers[3]), Number(numbers[4]));
  if (/^\d{1,2}[./-]\d{1,2}[./-]\d{2}$/.test(line)) return { why: 'the year has two digits' };
  return { why: 'it is not written as a date we know, e.g. 2026-11-21, 21.11.2026 or 21 Nov 2026' };
}

function withMonth(name: string, year: number, day: number): Reading<string> {
  const month = monthOf(name);
  return month === null ? { why: `"${name}" is no English month` } : dateOf(year, month, day);
}

function eitherOrder(first: number, second: number, year: number): Reading<string> {
  if (first === second || first > 12) return dateOf(year, second, first);
  if (second > 12) return dateOf(year, first, second);
  return { why: 'it may begin with the day or with the month' };
}
