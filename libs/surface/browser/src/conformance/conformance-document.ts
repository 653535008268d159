import { checkCases } from './cases/check.cases.ts';
import { clickCases } from './cases/click.cases.ts';
import { clickFrameCases } from './cases/click-frames.cases.ts';
import { clickHitCases } from './cases/click-hits.cases.ts';
import { clickScrollCases } from './cases/click-scroll.cases.ts';
import { clickWaitCases } from './cases/click-waits.cases.ts';
import { dialogCases } from './cases/dialog.cases.ts';
import { downloadCases, uploadCases } from './cases/files.cases.ts';
import { focusCases } from './cases/focus.cases.ts';
import { historyCases } from './cases/history.cases.ts';
import { keyCases } from './cases/keys.cases.ts';
import { keyTextCases } from './cases/key-text.cases.ts';
import { dragCases } from './cases/drag.cases.ts';
import { hoverCases } from './cases/hover.cases.ts';
import { selectCases } from './cases/select.cases.ts';
import { typeCases } from './cases/type.cases.ts';
import { wheelCases } from './cases/wheel.cases.ts';
import type { ConformanceCase, ConformanceGroup } from './conformance-case.ts';

/** The whole table. Add a new group here and a spec next to its cases. */
export const groups: readonly ConformanceGroup[] = [
  clickCases,
  clickWaitCases,
  clickHitCases,
  clickFrameCases,
  clickScrollCases,
  hoverCases,
  dragCases,
  checkCases,
  selectCases,
  typeCases,
  keyCases,
  keyTextCases,
  focusCases,
  wheelCases,
  dialogCases,
  uploadCases,
  downloadCases,
  historyCases,
];

const HEAD = `# Conformance of actions with Playwright

Written by \`node libs/surface/browser/src/conformance/write-conformance.ts\` from the tables in that folder. Specs try each case in a real Chromium.
Pages, actions and expected outcomes follow the tests of Playwright that are named.
`;

/** Text in a cell of a Markdown table. */
const cell = (text: string) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();

function row({ name, from: testFile, playwright, ours, deviation }: ConformanceCase): string {
  return `| ${[name, testFile ?? '', playwright, ours ?? 'the same', deviation ?? ''].map(cell).join(' | ')} |`;
}

/** Returns the table as Markdown. */
export function conformanceDocument(groups: readonly ConformanceGroup[]): string {
  const allCases = groups.flatMap(({ cases }) => cases);
  const count = allCases.filter(({ ours }) => ours !== undefined).length;
  const sections = groups.map(
    ({ name, cases }) => `
## ${name}

| case | test of Playwright | Playwright | here | why |
| --- | --- | --- | --- | --- |
${cases.map(row).join('\n')}
`,
  );
  return `${HEAD}
**${allCases.length} cases, ${count} with another outcome than Playwright's.** Each of those says why.
${sections.join('')}`;
}
