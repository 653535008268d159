import {
  deadLetterCodes,
  type DeadLetter,
  type DeadLetterCode,
  type DeadLetterCounts,
} from '@pilothouse/contract/api/dead-letters.routes';
import { InvalidArgumentError } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { shortId, shortIds } from '../api/find-by-id.ts';
import { DEFAULT_LIMIT, printLimitHint, readPages } from '../api/read-pages.ts';
import { exitCodes } from '../output/exit-codes.ts';
import { table } from '../output/text-table.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { wholeNumber } from './create-run.command.ts';
import { runTitle } from '../output/run-title.ts';

interface ListFlags extends ApiOptions {
  readonly errorCode?: DeadLetterCode[];
  readonly limit: number;
}

interface RetryFlags extends ListFlags {
  readonly includeRetried?: boolean;
}

/** Maximum number of new runs of one request. */
const MAX_RETRIES = 200;

const parseCodes = (text: string): DeadLetterCode[] => {
  const allowed: readonly string[] = deadLetterCodes;
  const codes = text.split(',').map((code) => code.trim().toUpperCase());
  if (!codes.every((code) => allowed.includes(code)))
    throw new InvalidArgumentError(`Use ${deadLetterCodes.join(', ')}.`);
  return codes as DeadLetterCode[];
};

/** `pilothouse dead-letters`. */
export const deadLettersCommand = (source = processSource) =>
  newNoun(
    'dead-letters',
    'List or retry runs that failed because of infrastructure (lost workers, queue timeout), not because a step failed.',
    [
      newApiCommand(
        'list',
        'List dead letters, newest first.',
        ['pilothouse dead-letters list', 'pilothouse dead-letters list --error-code POISON_RUN,RUN_EXPIRED'],
        source,
      )
        .option('--error-code <list>', 'filter by error code', parseCodes)
        .option('-n, --limit <n>', 'maximum number of dead letters', wholeNumber(1), DEFAULT_LIMIT)
        .action(withApi(source, list)),
      newApiCommand(
        'retry',
        'Retry each dead letter once as a new run, oldest first.',
        [
          'pilothouse dead-letters retry --limit 20',
          'pilothouse dead-letters retry --error-code POISON_RUN --include-retried',
        ],
        source,
      )
        .option('--error-code <list>', 'filter by error code', parseCodes)
        .option('-n, --limit <n>', `maximum number (up to ${MAX_RETRIES})`, wholeNumber(1), DEFAULT_LIMIT)
        .option('--include-retried', 'also those already retried')
        .action(withApi(source, retry)),
    ],
    source,
  );

async function list(api: Api, { terminal, now }: Cli, flags: ListFlags): Promise<void> {
  const { errorCode, limit } = flags;
  let counts: DeadLetterCounts = [];
  const found = await readPages(async (page) => {
    const read = await api.deadLetters({ errorCode, ...page });
    counts = read.counts;
    return read;
  }, limit);
  const { items } = found;
  if (flags.json) terminal.out(json({ items, counts }));
  else if (items.length === 0) terminal.err('No dead letters.');
  else {
    for (const line of table(heads, rowsOf(items, now()), terminal.style, terminal.columns)) terminal.out(line);
    terminal.err(terminal.errStyle.dim(summary(counts)));
  }
  printLimitHint(terminal, found, 'dead letters', limit);
}

const heads = [
  { head: 'run' },
  { head: 'workflow or goal', canShrink: true },
  { head: 'error' },
  { head: 'ended' },
  { head: 'attempts', canShrink: true },
  { head: 'retry' },
];

function rowsOf(letters: readonly DeadLetter[], now: Date): string[][] {
  const name = shortIds(letters.map(({ run }) => run.id));
  return letters.map(({ run, attempts, retry }) => [
    name(run.id),
    runTitle(run, 40),
    run.error?.code ?? '',
    run.finishedAt === null ? '' : relative(run.finishedAt, now),
    attempts.map(({ worker, error }) => `${clean(worker)} ${error?.code ?? ''}`.trim()).join(', ') || 'none',
    retry === null ? '' : `${shortId(retry.id)} ${retry.status}`,
  ]);
}

const summary = (counts: DeadLetterCounts) =>
  counts.map(({ code, runs, retried }) => `${runs} ${code}${retried > 0 ? ` (${retried} retried)` : ''}`).join(' · ');

async function retry(api: Api, { terminal, end }: Cli, flags: RetryFlags): Promise<void> {
  const { retried, failed, remaining } = await api.retryDeadLetters({
    errorCodes: flags.errorCode,
    includeRetried: flags.includeRetried === true,
    limit: Math.min(MAX_RETRIES, flags.limit),
  });
  if (failed.length > 0) end(exitCodes.failed);
  if (flags.json) return terminal.out(json({ retried, failed, remaining }));
  for (const { run, retry: newRun } of retried) terminal.out(`${newRun} retries ${run}`);
  for (const { run, error } of failed)
    terminal.err(`${run}  ${terminal.errStyle.red(error.code)}  ${clean(error.message)}`);
  const rest = remaining > 0 ? `, ${remaining} left` : '';
  terminal.err(terminal.errStyle.dim(`${count(retried.length, 'run')} created${rest}`));
}
