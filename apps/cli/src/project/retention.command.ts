import type { RetentionReport } from '@pilothouse/contract';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { size } from '../output/byte-size.ts';
import { count } from '../output/sanitize-text.ts';
import { json } from '../output/value-text.ts';

interface Flags extends ApiOptions {
  readonly dryRun?: boolean;
}

/** `pilothouse retention`: removes what the project no longer keeps; for admins. */
export const retentionCommand = (source = oneCli) =>
  newApiCommand(
    'retention',
    'remove now what the project no longer keeps (it happens every hour by itself); `project set --keep-...` says what that is',
    ['pilothouse retention --dry-run', 'pilothouse retention --json'],
    source,
  )
    .option('--dry-run', 'only count what would be removed')
    .action(withApi(source, retention));

async function retention(api: Api, { terminal }: Cli, { dryRun = false, json: asJson }: Flags): Promise<void> {
  const report = await api.retain(dryRun);
  if (asJson) return terminal.out(json(report));
  terminal.out(`${dryRun ? 'Would remove' : 'Removed'} ${wordsOf(report)}.`);
  if (report.oldestKept !== null) terminal.out(`The oldest run that stays is of ${report.oldestKept}.`);
  if (!report.complete)
    terminal.err('Time was up before all was removed; say it again, or leave it to the hourly job.');
}

const wordsOf = ({ runs, events, artifacts, uploads, bytes }: RetentionReport) =>
  `${count(runs, 'run')}, ${count(events, 'event')}, ${count(artifacts, 'file')} and ${count(uploads, 'upload')} (${size(bytes)})`;
