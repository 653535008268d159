/**
 * Generates docs/values.md from the comments in charts/pilothouse/values.yaml.
 * Usage: `node scripts/docs/values-page.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'charts/pilothouse/values.yaml');
export const page = join(root, 'docs/values.md');

/** One value of the chart. */
interface Value {
  /** `api.service.port` */
  path: string;
  /** Text in the file; empty for a group of values. */
  initial: string;
  meaning: string;
}

const line = /^(?<indent> *)(?<key>[A-Za-z][\w-]*):(?: (?<rest>.*))?$/;
// A comment behind a value; a # in a text has no blank before it here.
const behind = /^(?<initial>.*?)(?:\s*(?<=^|\s)# (?<said>.*))?$/;

/** The values with their comments, in order. */
export function valuesOf(text: string): Value[] {
  const values: Value[] = [];
  const path: string[] = [];
  let above: string[] = [];
  for (const row of text.split('\n')) {
    const comment = /^ *# ?(.*)$/.exec(row)?.[1];
    const groups = line.exec(row)?.groups;
    if (comment !== undefined) above.push(...(comment === 'prettier-ignore' ? [] : [comment]));
    else if (groups) {
      path.splice(groups.indent?.length ? groups.indent.length / 2 : 0, Infinity, groups.key ?? '');
      const { initial = '', said = '' } = behind.exec(groups.rest ?? '')?.groups ?? {};
      values.push({ path: path.join('.'), initial, meaning: [...above, said].filter(Boolean).join(' ') });
      above = [];
    } else above = [];
  }
  return values;
}

const cell = (text: string) => text.replaceAll('|', '\\|');

/** The page: one table for each top-level group. */
function pageOf(values: readonly Value[]): string {
  const out = [
    '# Values of the chart',
    'Nothing has to be set. This page is made from `charts/pilothouse/values.yaml` by `node scripts/docs/values-page.ts`; unknown and wrong values are refused by `values.schema.json`.',
  ];
  let rows: string[] = [];
  const close = () => {
    if (rows.length > 0) out.push(['| value | default | |', '| --- | --- | --- |', ...rows].join('\n'));
    rows = [];
  };
  for (const { path, initial, meaning } of values) {
    const top = !path.includes('.');
    if (top) close();
    if (top) out.push(`## ${path}`);
    const isGroup = initial === '';
    if (top && isGroup) out.push(`${meaning}.`.replace(/([.?!:])\.$/, '$1'));
    else rows.push(`| \`${path}\` | ${isGroup ? '' : `\`${cell(initial)}\``} | ${cell(meaning)} |`);
  }
  close();
  return `${out.join('\n\n')}\n`;
}

/** The current page. */
export const renderValuesPage = () => pageOf(valuesOf(readFileSync(file, 'utf8')));

if (import.meta.main) writeFileSync(page, renderValuesPage());
