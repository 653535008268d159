import type { Case, Kind } from './page-kind.ts';

/** A case, and why it did not work. */
export interface Tried {
  readonly kind: Kind;
  readonly case: Case;
  readonly wrong: string | null;
}

const whose = {
  theirs: 'a page that came with the package',
  widgets: 'code of the package, body of ours',
  pattern: 'ours, by the WAI-ARIA Authoring Practices',
  ours: 'ours',
} as const;

/** The page of the documentation, as Markdown. */
export function documentOf(tried: readonly Tried[]): string {
  const worked = tried.filter(({ wrong }) => wrong === null).length;
  const kinds = [...new Set(tried.map(({ kind }) => kind))];
  const rows = kinds.map((kind) => {
    const own = tried.filter((one) => one.kind === kind);
    const done = own.filter(({ wrong }) => wrong === null).map((one) => one.case.what);
    const not = own
      .filter(({ wrong }) => wrong !== null)
      .map((one) => `${one.case.what}${one.case.cannot ? `: ${one.case.cannot}` : ''}`);
    return `| ${kind.name} | ${whose[kind.by]} | ${done.join('; ')} | ${not.join('; ')} |`;
  });
  return `# What works on which pages

Written by \`node bench/conformance/conformance-cli.ts\`, which tries each action on each kind of page in a real Chromium and looks at the page afterwards. It ends with 1 below 95 %.

**${worked} of ${tried.length} (${((100 * worked) / tried.length).toFixed(1)} %) on ${kinds.length} kinds of pages.** What cannot be done is tried and counted as well.

| page | whose | works | does not |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
