import { auditExportFormats, type AuditEntry, type AuditExportFormat } from '@pilothouse/contract/api/audit.routes';
import { timestampSchema } from '@pilothouse/contract/primitives.schema';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import { DEFAULT_LIMIT, printLimitHint, readPages } from '../api/read-pages.ts';
import { clean } from '../output/sanitize-text.ts';
import { table } from '../output/text-table.ts';
import { localTime } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { wholeNumber } from '../runs/create-run.command.ts';

interface FilterFlags extends ApiOptions {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly since?: string;
  readonly until?: string;
}

interface ListFlags extends FilterFlags {
  readonly limit: number;
}

interface ExportFlags extends FilterFlags {
  readonly format: AuditExportFormat;
}

/** Parses a day or a time. A time without a zone is local. */
function instant(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('Use a day or a time, e.g. 2026-05-04.');
  return timestampSchema.parse(time.toISOString());
}

const withFilter = (command: Command): Command =>
  command
    .option('--actor <actor>', 'only this user or key: email address, key name or id')
    .option('--action <name>', 'only this operation, e.g. createApiKey')
    .option('--target <target>', 'only this resource: id or name')
    .option('--since <time>', 'only entries at this time or later', instant)
    .option('--until <time>', 'only earlier entries', instant);

const filterOf = ({ actor, action, target, since, until }: FilterFlags) => ({ actor, action, target, since, until });

/** `pilothouse audit`; for admins. */
export const auditCommand = (source = processSource) =>
  newNoun(
    'audit',
    'List and export the audit log.',
    [
      withFilter(
        newApiCommand(
          'list',
          'List audit entries, newest first.',
          ['pilothouse audit list --actor ada@example.com', 'pilothouse audit list --action createApiKey --json'],
          source,
        ),
      )
        .option('-n, --limit <n>', 'maximum number of entries', wholeNumber(1), DEFAULT_LIMIT)
        .action(withApi(source, list)),
      withFilter(
        newApiCommand(
          'export',
          'Print all matching audit entries as CSV or NDJSON.',
          [
            'pilothouse audit export > audit.csv',
            'pilothouse audit export --format ndjson --since 2026-05-01 > audit.ndjson',
          ],
          source,
        ),
      )
        .addOption(new Option('--format <format>', 'csv or ndjson').choices(auditExportFormats).default('csv'))
        .action(withApi(source, exportEntries)),
    ],
    source,
  );

async function list(api: Api, { terminal }: Cli, flags: ListFlags): Promise<void> {
  const found = await readPages((page) => api.audit({ ...filterOf(flags), ...page }), flags.limit);
  if (flags.json) terminal.out(json({ items: found.items }));
  else {
    const heads = ['time', 'actor', 'action', 'target', 'address'].map((head) => ({
      head,
      canShrink: head === 'action' || head === 'target',
    }));
    for (const line of table(heads, found.items.map(rowOf), terminal.style, terminal.columns)) terminal.out(line);
  }
  printLimitHint(terminal, found, 'entries', flags.limit);
}

const rowOf = ({ at: time, actor, action, target, address }: AuditEntry): string[] => [
  localTime(time),
  clean(actor.name),
  clean(action),
  target === null ? '' : clean(target),
  clean(address),
];

async function exportEntries(api: Api, { terminal }: Cli, flags: ExportFlags): Promise<void> {
  const format = flags.json ? 'ndjson' : flags.format;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of await api.exportAudit({ format, ...filterOf(flags) })) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) terminal.out(line);
  }
  rest += decoder.decode();
  if (rest !== '') terminal.out(rest);
}
