import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DocsPage, page, table } from './docs-page.ts';

const file = join(import.meta.dirname, '../../charts/pilothouse/values.yaml');

/** One value of the chart. */
interface Value {
  /** `api.service.port` */
  path: string;
  /** Text in the file; empty for a group of values. */
  initial: string;
  meaning: string;
}

const line = /^(?<indent> *)(?<key>[A-Za-z][\w-]*):(?: (?<rest>.*))?$/;
// A comment after a value. A # inside a value has no space before it here.
const valueAndComment = /^(?<initial>.*?)(?:\s*(?<=^|\s)# (?<comment>.*))?$/;

/** Returns the values with their comments, in order. */
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
      const { initial = '', comment: trailingComment = '' } = valueAndComment.exec(groups.rest ?? '')?.groups ?? {};
      values.push({ path: path.join('.'), initial, meaning: [...above, trailingComment].filter(Boolean).join(' ') });
      above = [];
    } else above = [];
  }
  return values;
}

/** Returns the blocks of the page: one table for each top-level group. */
function blocksOf(values: readonly Value[]): string[] {
  const blocks: string[] = [];
  let rows: string[][] = [];
  const close = () => {
    if (rows.length > 0) blocks.push(table(['value', 'default', 'meaning'], rows));
    rows = [];
  };
  for (const { path, initial, meaning } of values) {
    const isTop = !path.includes('.');
    const isGroup = initial === '';
    if (isTop) {
      close();
      blocks.push(`## ${path}`);
    }
    if (isTop && isGroup) blocks.push(`${meaning}.`.replace(/([.?!:])\.$/, '$1'));
    else rows.push([`\`${path}\``, isGroup ? '' : `\`${initial}\``, meaning]);
  }
  close();
  return blocks;
}

/** The values of the Helm chart, from the comments in `values.yaml`. */
export const valuesPage: DocsPage = {
  path: 'docs/reference/values.md',
  render: () =>
    page(
      '# Helm values',
      'Every value has a default, so an installation needs no values file. `values.schema.json` rejects unknown names and wrong types.',
      ...blocksOf(valuesOf(readFileSync(file, 'utf8'))),
    ),
};
