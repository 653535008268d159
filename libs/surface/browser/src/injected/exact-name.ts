/// <reference lib="dom" />
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { plain } from '@pilothouse/surface-page-elements/page';

/** Maximum number of elements whose generated content is read. */
const MAX_DRAWN_ELEMENTS = 50;

/** Parts of a name that change while the control stays the same: counters, dates, times and prices. */
const CHANGING_PART =
  /(\s?[([]\d[\d.,]*\+?[)\]])|(\d{4}-\d{2}-\d{2})|(\d{1,2}[./]\d{1,2}[./]\d{2,4})|(\d{1,2}:\d{2}(?::\d{2})?)|([$€£¥]\s?\d[\d.,]*)|(\d[\d.,]*\s?(?:[$€£¥%]|(?:EUR|USD|GBP|CHF)\b))/g;

/** Pattern of each part, in the order of the groups. */
const PART_PATTERNS: readonly string[] = [
  String.raw`(?:\s?[(\[]\d[\d.,]*\+?[)\]])?`,
  String.raw`\d{4}-\d{2}-\d{2}`,
  String.raw`\d{1,2}[./]\d{1,2}[./]\d{2,4}`,
  String.raw`\d{1,2}:\d{2}(?::\d{2})?`,
  String.raw`[$€£¥]\s?\d[\d.,]*`,
  String.raw`\d[\d.,]*\s?(?:[$€£¥%]|EUR|USD|GBP|CHF)`,
];

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/**
 * Returns a pattern for a name with other counters, prices, dates and times; null if it has none of them, or no word
 * besides them. Other numbers identify a control, such as “Page 2”.
 */
export function changingNamePattern(name: string): string | null {
  let pattern = '';
  let words = '';
  let end = 0;
  for (const match of name.matchAll(CHANGING_PART)) {
    const fixed = name.slice(end, match.index);
    const part = match.slice(1).findIndex((group: string | undefined) => group !== undefined);
    pattern += literal(fixed) + (PART_PATTERNS[part] ?? '');
    words += fixed;
    end = match.index + match[0].length;
  }
  if (end === 0 || !/\p{L}{2,}/u.test(words + name.slice(end))) return null;
  return `^${pattern}${literal(name.slice(end))}$`;
}

/**
 * Returns a locator of a role with the whole name. Playwright adds the content of `::before` and `::after`, such as the
 * letter of an icon font, to a name. A pattern compares the name without it.
 */
export const exactRole = (role: string, name: string, element: Element): Locator =>
  hasDrawnContent(element) ? { role, pattern: `^${literal(name)}$` } : { role, name, exact: true };

function hasDrawnContent(element: Element): boolean {
  const native = plain(element);
  const labels = [...((native as HTMLInputElement).labels ?? [])];
  const ids = (native.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean);
  const labelledBy = ids.flatMap((id) => native.ownerDocument.getElementById(id) ?? []);
  return [element, ...labels, ...labelledBy]
    .flatMap((root) => [root, ...plain(root).querySelectorAll('*')])
    .slice(0, MAX_DRAWN_ELEMENTS)
    .some((drawn) => ['::before', '::after'].some((part) => hasContent(getComputedStyle(drawn, part).content)));
}

const hasContent = (content: string): boolean => !['', 'none', 'normal', '""', "''"].includes(content);
