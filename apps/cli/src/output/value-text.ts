import type { Json } from '@pilothouse/contract/primitives.schema';
import { stringify } from 'yaml';
import type { Style } from './text-style.ts';
import { pairs, table } from './text-table.ts';
import { clean, count, pad, short, width } from './sanitize-text.ts';

type JsonObject = { [key: string]: Json };

/** Maximum number of printed table rows; `--json` has all. */
const MAX_ROWS = 20;
const MAX_CELL = 60;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: Json | undefined) => typeof value !== 'object' || value === null;

/** Summary of a value: `30 rows (sku, name, price)`, `"HS-1042"`, `12 values: "a", "b", …`. */
export function inShort(value: Json, columns = 60): string {
  if (isObject(value)) return short(`{${Object.keys(value).map(clean).join(', ')}}`, columns);
  if (!Array.isArray(value)) return scalar(value, columns);
  const [first] = value;
  if (first === undefined) return 'nothing';
  if (isObject(first)) {
    return short(`${count(value.length, 'row')} (${Object.keys(first).map(clean).join(', ')})`, columns);
  }
  const displayed = value.slice(0, 5).map((item) => inShort(item, 20));
  const ellipsis = value.length > displayed.length ? ', …' : '';
  return short(`${count(value.length, 'value')}: ${displayed.join(', ')}${ellipsis}`, columns);
}

const scalar = (value: Json, columns: number) =>
  typeof value === 'string' ? `"${short(clean(value), Math.max(1, columns - 2))}"` : JSON.stringify(value);

/**
 * Lines of a result: an array of flat objects as a table, an object by field, anything else as YAML. The text is
 * sanitized.
 * @param columns width of the terminal
 */
export function valueLines(value: Json, style: Style, columns = Infinity): string[] {
  if (isRows(value)) return rowLines(value, style, columns);
  if (typeof value === 'string' && value.includes('\n')) return blockLines(value);
  if (!isObject(value)) return yamlLines(value);
  const entries = Object.entries(value);
  const names = Math.max(0, ...entries.filter(([, field]) => isScalar(field)).map(([name]) => width(clean(name))));
  return entries.flatMap(([name, field]) => {
    const head = clean(name);
    if (typeof field === 'string' && field.includes('\n'))
      return [style.dim(head), ...blockLines(field).map((line) => `  ${line}`)];
    if (isScalar(field)) return pairs([[pad(head, names), cell(field)]], style);
    const inner = isRows(field) ? rowLines(field, style, columns - 2) : yamlLines(field);
    const amount = isRows(field) ? ` (${count(field.length, 'row')})` : '';
    return [style.dim(`${head}${amount}`), ...inner.map((line) => `  ${line}`)];
  });
}

/** True for a non-empty array of objects whose fields are scalars or short lists of scalars. */
const isRows = (value: Json): value is JsonObject[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((row) => isObject(row) && Object.values(row).every((field) => isScalar(field)));

function rowLines(rows: readonly JsonObject[], style: Style, columns: number): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const heads = names.map((name) => ({
    head: clean(name),
    canShrink: true,
    align: rows.every((row) => typeof (row[name] ?? 0) === 'number') ? ('right' as const) : ('left' as const),
  }));
  const displayed = rows.slice(0, MAX_ROWS).map((row) => names.map((name) => short(cell(row[name]), MAX_CELL)));
  const lines = table(heads, displayed, style, columns);
  const hiddenCount = rows.length - displayed.length;
  return hiddenCount > 0 ? [...lines, style.dim(`… and ${count(hiddenCount, 'more row')}; --json shows all`)] : lines;
}

const cell = (value: Json | undefined): string => {
  if (value === undefined || value === null) return '-';
  return clean(typeof value === 'string' ? value : JSON.stringify(value));
};

/** Lines of a multi-line text, each sanitized. */
export const blockLines = (text: string): string[] =>
  text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => `${/^ {0,80}/.exec(line)?.[0] ?? ''}${clean(line)}`.trimEnd());

const yamlLines = (value: Json): string[] =>
  // The strings are sanitized: only YAML adds line breaks.
  stringify(cleaned(value), { lineWidth: 0 }).trimEnd().split('\n');

function cleaned(value: Json): Json {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [clean(key), cleaned(field)]));
}

/** JSON on several lines or one. C1 controls are escaped, because some terminals interpret them. */
export const json = (value: unknown, lines: 'one' | 'many' = 'many'): string =>
  JSON.stringify(value, null, lines === 'many' ? 2 : undefined).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
