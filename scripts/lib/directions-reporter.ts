/** Reporter of dependency-cruiser: violations of the rules, and circles of sibling folders, which no rule can express. */
import type { ICruiseResult, IReporterOutput } from 'dependency-cruiser';
import { findFolderCircles, type FolderCircle, type ImportEdge } from './folder-circles.ts';

const describe = ({ parent, folders, imports }: FolderCircle) =>
  [
    `no-circles-of-folders: ${parent}: ${[...folders, folders[0]].join(' → ')}`,
    ...imports.map(([source, target]) => `    ${source} → ${target}`),
  ].join('\n');

export default function report({ modules, summary }: ICruiseResult): IReporterOutput {
  const edges = modules.flatMap(({ source, dependencies }) =>
    dependencies.map(({ resolved }): ImportEdge => [source, resolved]),
  );
  const problems = [
    ...summary.violations.map(({ rule, from, to, cycle }) => {
      const comment = summary.ruleSetUsed?.forbidden?.find(({ name }) => name === rule.name)?.comment ?? '';
      const path = cycle ? [from, ...cycle.map(({ name }) => name)] : [from, to];
      return `${rule.name}: ${path.join(' → ')}\n    ${comment}`;
    }),
    ...findFolderCircles(edges).map(describe),
  ];
  const output = [...problems, `${problems.length} problems in the imports of ${modules.length} modules`].join('\n');
  return { output: `${output}\n`, exitCode: Math.min(problems.length, 1) };
}
