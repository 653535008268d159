import { relative } from 'node:path';
import type { Installation } from '../installation/installation-paths.ts';
import type { RunRecord } from './state-file.ts';

/** The addresses and folders of the installation. */
export function addressLines(installation: Installation, { urls }: RunRecord): string[] {
  const short = (path: string) => relative(installation.root, path) || path;
  return [
    ...(urls.console ? [`  console        ${urls.console}`] : []),
    `  API and docs   ${urls.api}/docs`,
    `  API key        ${short(installation.secrets)}/admin.key (also creates the admin account)`,
    ...(urls.site ? [`  demo site      ${urls.site}`] : []),
    `  data and logs  ${short(installation.state)}/, ${short(installation.logs)}/`,
  ];
}

/** Commands to try next. */
export const nextCommands = (stop: string) => [
  '  npx pilothouse runs list             recent runs',
  '  npx pilothouse run my-workflow.yaml  run your workflow (docs/reference/workflow/README.md)',
  `  ${stop.padEnd(37)}stop; data is kept`,
];

/** The message of a second `up`. */
export function alreadyRunningLines(installation: Installation, record: RunRecord): string[] {
  const since = new Date(record.startedAt).toLocaleString('en-GB');
  if (!record.ready) return [`Pilothouse is starting (pid ${record.supervisor.pid}, since ${since}).`];
  return [
    `Pilothouse is already running (pid ${record.supervisor.pid}, since ${since}).`,
    ...addressLines(installation, record),
    '  Stop it: ./scripts/down',
  ];
}
