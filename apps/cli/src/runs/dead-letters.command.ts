import { deadLetterCodes, type DeadLetter, type DeadLetterCode, type DeadLetterCounts } from '@pilothouse/contract';
import { InvalidArgumentError } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { shortId, shortIds } from '../api/find-by-id.ts';
import { exitCodes } from '../output/exit-codes.ts';
import { table } from '../output/text-table.ts';
import { clean, count, short } from '../output/sanitize-text.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { whole } from './create-run.command.ts';

interface Flags extends ApiOptions {
  readonly code?: DeadLetterCode[];
  readonly limit: number;
  readonly retry?: boolean;
  readonly again?: boolean;
}

/** Most that the API takes at once. */
const MOST = 200;

const codes = (text: string): DeadLetterCode[] => {
  const known: readonly string[] = deadLetterCodes;
  const given = text.split(',').map((one) => one.trim().toUpperCase());
  if (!given.every((one) => known.includes(one))) throw new InvalidArgumentError(`Use ${deadLetterCodes.join(', ')}.`);
  return given as DeadLetterCode[];
};

/** `pilothouse dead-letters`: runs that died of their way and not of their steps. */
export const deadLettersCommand = (source = oneCli) =>
  newApiCommand(
    'dead-letters',
    'list runs that died of their way and not of their steps (lost workers, time in the queue), or run them again',
    [
      'pilothouse dead-letters',
      'pilothouse dead-letters --code POISON_RUN,RUN_EXPIRED',
      'pilothouse dead-letters --retry --limit 20',
    ],
    source,
  )
    .option('--code <list>', 'only those that died of one of these errors', codes)
    .option('-n, --limit <n>', `how many, ${MOST} at most`, whole(1), 20)
    .option('--retry', 'run them again as new runs, the oldest first; each once')
    .option('--again', 'with --retry: also those that were run again before')
    .action(withApi(source, deadLetters));

async function deadLetters(api: Api, cli: Cli, flags: Flags): Promise<void> {
  if (flags.retry) return retry(api, cli, flags);
  const { terminal, now } = cli;
  const page = await api.deadLetters({ code: flags.code, limit: Math.min(MOST, flags.limit) });
  if (flags.json) return terminal.out(json(page));
  if (page.items.length === 0) return terminal.err('No dead letters.');
  for (const line of table(heads, rowsOf(page.items, now()), terminal.style, terminal.columns)) terminal.out(line);
  terminal.err(terminal.errStyle.dim(summary(page.counts)));
}

const heads = [
  { head: 'run' },
  { head: 'workflow', gives: true },
  { head: 'error' },
  { head: 'ended' },
  { head: 'attempts', gives: true },
  { head: 'again' },
];

function rowsOf(letters: readonly DeadLetter[], now: Date): string[][] {
  const name = shortIds(letters.map(({ run }) => run.id));
  return letters.map(({ run, attempts, retry }) => [
    name(run.id),
    short(clean(run.workflow?.name ?? 'steps'), 40),
    run.error?.code ?? '',
    run.finishedAt === null ? '' : relative(run.finishedAt, now),
    attempts.map(({ worker, error }) => `${clean(worker)} ${error?.code ?? ''}`.trim()).join(', ') || 'none',
    retry === null ? '' : `${shortId(retry.id)} ${retry.status}`,
  ]);
}

const summary = (counts: DeadLetterCounts) =>
  counts.map(({ code, runs, retried }) => `${runs} ${code}${retried > 0 ? ` (${retried} run again)` : ''}`).join(' · ');

async function retry(api: Api, { terminal, end }: Cli, { code, again, limit, json: asJson }: Flags): Promise<void> {
  const most = Math.min(MOST, limit);
  const { retried, refused, left } = await api.retryDeadLetters({ codes: code, again: again === true, limit: most });
  if (refused.length > 0) end(exitCodes.failed);
  if (asJson) return terminal.out(json({ retried, refused, left }));
  for (const { run, retry: made } of retried) terminal.out(`${made}  again after ${run}`);
  for (const { run, error } of refused)
    terminal.err(`${run}  ${terminal.errStyle.red(error.code)}  ${clean(error.message)}`);
  const rest = left > 0 ? `, ${left} left` : '';
  terminal.err(terminal.errStyle.dim(`${count(retried.length, 'run')} made${rest}`));
}
