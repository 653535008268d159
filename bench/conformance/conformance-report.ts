import type { Case, Kind } from './page-kind.ts';

/** A case and its failure. */
export interface Tried {
  readonly kind: Kind;
  readonly case: Case;
  readonly wrong: string | null;
}

const sectionTitles = {
  theirs: 'page of the package',
  widgets: 'package in a test page',
  pattern: 'test page by the WAI-ARIA Authoring Practices',
  ours: 'test page',
} as const;

/** The page of the documentation, as Markdown. */
export function documentOf(results: readonly Tried[]): string {
  const passed = results.filter(({ wrong }) => wrong === null).length;
  const kinds = [...new Set(results.map(({ kind }) => kind))];
  const rows = kinds.map((kind) => {
    const kindResults = results.filter((result) => result.kind === kind);
    const passedCases = kindResults.filter(({ wrong }) => wrong === null).map((result) => result.case.name);
    const not = kindResults
      .filter(({ wrong }) => wrong !== null)
      .map((result) => `${result.case.name}${result.case.cannot ? `: ${result.case.cannot}` : ''}`);
    return `| ${kind.name} | ${sectionTitles[kind.by]} | ${passedCases.join('; ')} | ${not.join('; ')} |`;
  });
  return `# Page coverage

Written by \`node bench/conformance/conformance-cli.ts\`, which tries each action on each kind of page in a real Chromium and verifies the page afterwards. It exits with 1 below 95 %.

**${passed} of ${results.length} (${((100 * passed) / results.length).toFixed(1)} %) on ${kinds.length} kinds of pages.** Known failures are tried and counted, too.

| page | origin | passes | fails |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
