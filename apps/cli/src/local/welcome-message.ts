import { relative } from 'node:path';
import type { House } from './installation-paths.ts';
import type { RunRecord } from './state-file.ts';

/** Where to look, for people. */
export function whereToLook(house: House, { urls }: RunRecord): string[] {
  const short = (path: string) => relative(house.root, path) || path;
  return [
    ...(urls.console ? [`  console        ${urls.console}`] : []),
    `  API and docs   ${urls.api}/docs`,
    `  API key        ${short(house.secrets)}/admin.key (also makes the first user)`,
    ...(urls.site ? [`  demo site      ${urls.site}`] : []),
    `  data and logs  ${short(house.state)}/, ${short(house.logs)}/`,
  ];
}

/** What to type next. */
export const nextCommands = (stop: string) => [
  '  npx pilothouse runs                  what ran, with links to screenshots and data',
  '  npx pilothouse run my-workflow.yaml  carry out a workflow of your own (docs/workflows.md)',
  `  ${stop.padEnd(37)}stop; data stays`,
];

/** What a second `up` says. */
export function alreadyRuns(house: House, record: RunRecord): string[] {
  const since = new Date(record.startedAt).toLocaleString('en-GB');
  if (!record.ready) return [`Pilothouse is being started by process ${record.supervisor.pid}, since ${since}.`];
  return [
    `Pilothouse already runs (process ${record.supervisor.pid}, since ${since}).`,
    ...whereToLook(house, record),
    '  ./scripts/down stops it.',
  ];
}
