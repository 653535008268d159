import { isCancelling } from '@pilothouse/contract/job/job-rules';
import { jobKinds, jobStatuses, type Job, type JobKind, type JobStatus } from '@pilothouse/contract/job/job.schema';
import { InvalidArgumentError, Option } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import { findById, idArgumentHelp, shortId, shortIds } from '../api/find-by-id.ts';
import { DEFAULT_LIMIT, printLimitHint, readPages } from '../api/read-pages.ts';
import { usage } from '../output/exit-codes.ts';
import { clean } from '../output/sanitize-text.ts';
import { pairs, table } from '../output/text-table.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { wholeNumber } from '../runs/create-run.command.ts';

interface ListFlags extends ApiOptions {
  readonly kind?: JobKind;
  readonly status?: JobStatus;
  readonly limit: number;
}

interface RetryFlags extends ApiOptions {
  readonly budgetUsd?: number;
}

export const JOB_ARGUMENT = idArgumentHelp('job');

const dollars = (text: string) => {
  const amount = Number(text);
  if (text.trim() === '' || !(amount >= 0)) throw new InvalidArgumentError('Use US dollars, e.g. 2.50.');
  return amount;
};

/** `pilothouse jobs`. */
export const jobsCommand = (source = processSource) =>
  newNoun(
    'jobs',
    'Background jobs: scoring, datasets, exports, tuning, evaluation.',
    [
      newApiCommand(
        'list',
        'List background jobs, newest first.',
        ['pilothouse jobs list', 'pilothouse jobs list --kind export --status failed'],
        source,
      )
        .addOption(new Option('--kind <kind>', 'filter by kind').choices(jobKinds))
        .addOption(new Option('--status <status>', 'filter by status').choices(jobStatuses))
        .option('-n, --limit <n>', 'maximum number of jobs', wholeNumber(1), DEFAULT_LIMIT)
        .action(withApi(source, list)),
      newApiCommand(
        'show',
        'Show the progress, usage, result and error of a job.',
        ['pilothouse jobs show last', 'pilothouse jobs show 0197f3c2-1a2b --json'],
        source,
      )
        .argument('<job>', JOB_ARGUMENT)
        .action(withApi(source, show)),
      newApiCommand(
        'cancel',
        'Cancel a queued or running job. Its checkpoint is kept.',
        ['pilothouse jobs cancel last'],
        source,
      )
        .argument('<job>', JOB_ARGUMENT)
        .action(withApi(source, cancel)),
      newApiCommand(
        'retry',
        'Continue a failed or cancelled job from its checkpoint.',
        ['pilothouse jobs retry last', 'pilothouse jobs retry last --budget-usd 5'],
        source,
      )
        .argument('<job>', JOB_ARGUMENT)
        .option('--budget-usd <amount>', 'new limit for all model calls of the job', dollars)
        .action(withApi(source, retry)),
    ],
    source,
  );

async function list(api: Api, cli: Cli, flags: ListFlags): Promise<void> {
  const { kind, status, limit } = flags;
  const filter = { ...(kind && { kind: [kind] }), ...(status && { status: [status] }) };
  const found = await readPages((page) => api.jobs({ ...page, ...filter }), limit);
  if (flags.json) cli.terminal.out(json({ items: found.items }));
  else printJobs(cli, found.items);
  printLimitHint(cli.terminal, found, 'jobs', limit);
}

function printJobs({ terminal, now }: Cli, items: readonly Job[]): void {
  if (items.length === 0) return terminal.err('No background jobs.');
  const name = shortIds(items.map(({ id }) => id));
  const rows = items.map((job) => [
    name(job.id),
    job.kind,
    statusText(job),
    progressText(job),
    costText(job),
    relative(job.createdAt, now()),
  ]);
  const heads = ['job', 'kind', 'status', 'progress', 'cost', 'created'].map((head) => ({ head }));
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
}

async function show(api: Api, { terminal, now }: Cli, flags: ApiOptions, jobName: string): Promise<void> {
  const job = await findJob(api, jobName);
  if (flags.json) return terminal.out(json(job));
  const { style } = terminal;
  const { id, kind, attempts, createdBy, createdAt, finishedAt, runAt, error, result, params } = job;
  const lines = pairs(
    [
      ['job', `${id}  ${style.bold(statusText(job))}`],
      ['kind', kind],
      ['created', `${relative(createdAt, now())}${createdBy ? ` by ${clean(createdBy.name)}` : ''}`],
      ...(finishedAt === null ? [] : [['finished', relative(finishedAt, now())] as const]),
      ...(job.status === 'queued' && attempts > 0 ? [['next attempt', relative(runAt, now())] as const] : []),
      ['attempts', String(attempts)],
      ['progress', progressText(job)],
      ['cost', costText(job)],
      ['parameters', clean(JSON.stringify(params))],
      ...(error === null ? [] : [['error', `${error.code}: ${clean(error.message)}`] as const]),
      ...(result === null ? [] : [['result', clean(JSON.stringify(result))] as const]),
    ],
    style,
  );
  for (const line of lines) terminal.out(line);
}

async function cancel(api: Api, { terminal }: Cli, flags: ApiOptions, jobName: string): Promise<void> {
  const job = await api.cancelJob((await findJob(api, jobName)).id);
  if (flags.json) return terminal.out(json(job));
  const isOver = job.status === 'cancelled';
  terminal.out(`Job ${shortId(job.id)} ${isOver ? 'cancelled' : 'stops at the next heartbeat of its job runner'}`);
}

async function retry(api: Api, { terminal }: Cli, flags: RetryFlags, jobName: string): Promise<void> {
  const { budgetUsd } = flags;
  const { id } = await findJob(api, jobName);
  const job = await api.retryJob(id, budgetUsd === undefined ? {} : { budgetUsd });
  terminal.out(flags.json ? json(job) : `Job ${shortId(job.id)} queued`);
}

const statusText = (job: Job) => (isCancelling(job) ? 'cancelling' : job.status);

const progressText = ({ progress }: Job) =>
  progress === null
    ? '–'
    : `${progress.done}${progress.total === null ? '' : ` of ${progress.total}`} ${clean(progress.unit)}${progress.detail === undefined ? '' : ` (${clean(progress.detail)})`}`;

const costText = ({ usedUsd, budgetUsd }: Job) =>
  `$${usedUsd.toFixed(4)}${budgetUsd === null ? '' : ` of $${budgetUsd}`}`;

/**
 * Finds a job by its id, an id prefix, or `last`.
 * @param kind only jobs of this kind
 * @throws CommandError if none or several match
 */
export async function findJob(api: Api, name: string, kind?: JobKind): Promise<Job> {
  const hint = `List jobs: npx pilothouse jobs list${kind === undefined ? '' : ` --kind ${kind}`}`;
  const job = await findById(name, {
    noun: kind === 'tune' ? 'tuning job' : 'job',
    hint,
    read: (id) => api.job(id),
    readPage: (page) => api.jobs({ ...page, ...(kind && { kind: [kind] }) }),
    describe: (job) => job.kind,
  });
  if (kind === undefined || job.kind === kind) return job;
  throw usage(`Job ${clean(name)} is of the kind ${job.kind}, not ${kind}.`, [hint]);
}
