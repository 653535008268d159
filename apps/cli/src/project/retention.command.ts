import type { RetentionReport } from '@pilothouse/contract/api/project.routes';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { size } from '../output/byte-size.ts';
import { count } from '../output/sanitize-text.ts';
import { json } from '../output/value-text.ts';

interface Flags extends ApiOptions {
  readonly dryRun?: boolean;
}

/** `pilothouse retention`; for admins. */
export const retentionCommand = (source = processSource) =>
  newNoun(
    'retention',
    'Delete expired data.',
    [
      newApiCommand(
        'run',
        'Delete expired data now (also runs hourly). Configure it with `project set --retain-…`.',
        ['pilothouse retention run --dry-run', 'pilothouse retention run --json'],
        source,
      )
        .option('--dry-run', 'count only, delete nothing')
        .action(withApi(source, run)),
    ],
    source,
  );

async function run(api: Api, { terminal }: Cli, { dryRun = false, json: asJson }: Flags): Promise<void> {
  const report = await api.retain(dryRun);
  if (asJson) return terminal.out(json(report));
  terminal.out(`${dryRun ? 'Would delete' : 'Deleted'} ${countsText(report)}.`);
  if (report.oldestRemainingRunAt !== null) terminal.out(`Oldest remaining run: ${report.oldestRemainingRunAt}.`);
  if (!report.isComplete) terminal.err('Stopped at the time limit. Run it again or wait for the hourly job.');
}

const countsText = ({ runs, events, artifacts, uploads, bytes }: RetentionReport) =>
  `${count(runs, 'run')}, ${count(events, 'event')}, ${count(artifacts, 'artifact')} and ${count(uploads, 'upload')} (${size(bytes)})`;
