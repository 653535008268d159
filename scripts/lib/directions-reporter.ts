/** Reporter of dependency-cruiser: violations of the rules, and circles of sibling folders, which no rule can express. */
import type { ICruiseResult, IReporterOutput } from 'dependency-cruiser';
import { findFolderCircles, type FolderCircle, type ImportEdge } from './folder-circles.ts';

/** Folders whose subfolders may form a circle, with the reason. An entry without a circle is an error. */
const CIRCLES_ALLOWED: Readonly<Record<string, string>> = {
  'libs/surface/desktop/src': 'session/ is divided by subject first',
};

const describe = ({ parent, folders, imports }: FolderCircle) =>
  [
    `no-circles-of-folders: ${parent}: ${[...folders, folders[0]].join(' → ')}`,
    ...imports.map(([source, target]) => `    ${source} → ${target}`),
  ].join('\n');

export default function report({ modules, summary }: ICruiseResult): IReporterOutput {
  const edges = modules.flatMap(({ source, dependencies }) =>
    dependencies.map(({ resolved }): ImportEdge => [source, resolved]),
  );
  const circles = findFolderCircles(edges);
  const parents = new Set(modules.map(({ source }) => source.slice(0, source.lastIndexOf('/'))));
  const problems = [
    ...summary.violations.map(({ rule, from, to, cycle }) => {
      const comment = summary.ruleSetUsed?.forbidden?.find(({ name }) => name === rule.name)?.comment ?? '';
      const path = cycle ? [from, ...cycle.map(({ name }) => name)] : [from, to];
      return `${rule.name}: ${path.join(' → ')}\n    ${comment}`;
    }),
    ...circles.filter(({ parent }) => !(parent in CIRCLES_ALLOWED)).map(describe),
    ...Object.keys(CIRCLES_ALLOWED)
      .filter((allowed) => parents.has(allowed) && !circles.some(({ parent }) => parent === allowed))
      .map((allowed) => `${allowed} has no circle of folders: delete it from scripts/lib/directions-reporter.ts`),
  ];
  const output = [...problems, `${problems.length} problems in the imports of ${modules.length} modules`].join('\n');
  return { output: `${output}\n`, exitCode: Math.min(problems.length, 1) };
}
