import {
  errorCodes,
  runStatuses,
  type ErrorCode,
  type EventData,
  type RunStatus,
  type RunStepView,
  type RunView,
} from '@pilothouse/contract';
import { InvalidArgumentError } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findRun, shortIds } from '../api/find-by-id.ts';
import { isProblem } from '../api/error-message.ts';
import { runLines, statusPaint } from '../output/run-details.ts';
import { table } from '../output/text-table.ts';
import { clean, short } from '../output/sanitize-text.ts';
import { between, duration, relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { labelOf, whole } from './create-run.command.ts';
import { keptSteps } from './run-steps.ts';

interface ListFlags extends ApiOptions {
  readonly status?: RunStatus[];
  readonly error?: ErrorCode[];
  readonly workflow?: string;
  readonly label?: readonly string[];
  readonly limit: number;
}

const statuses = (text: string): RunStatus[] => {
  const known: readonly string[] = runStatuses;
  const given = text.split(',').map((one) => one.trim());
  if (!given.every((one) => known.includes(one))) throw new InvalidArgumentError(`Use ${runStatuses.join(', ')}.`);
  return given as RunStatus[];
};

const errors = (text: string): ErrorCode[] => {
  const known: readonly string[] = errorCodes;
  const given = text.split(',').map((one) => one.trim().toUpperCase());
  const wrong = given.find((one) => !known.includes(one));
  if (wrong !== undefined) throw new InvalidArgumentError(`${wrong} is no error code, e.g. TARGET_NOT_FOUND.`);
  return given as ErrorCode[];
};

/** `pilothouse runs`, and `runs show`. */
export const runsCommand = (source = oneCli) =>
  newApiCommand(
    'runs',
    'list runs, the newest first',
    [
      'pilothouse runs --status running,queued',
      'pilothouse runs --workflow harbour-order --label team=purchasing',
      'pilothouse runs show last',
    ],
    source,
  )
    .option('--status <list>', `only runs in these statuses: ${runStatuses.join(', ')}`, statuses)
    .option('--error <list>', 'only runs that failed with one of these codes', errors)
    .option('--workflow <name>', 'only runs of this workflow')
    .option('-l, --label <name=value>', 'only runs with this label', (value: string, before: string[] = []) => [
      ...before,
      value,
    ])
    .option('-n, --limit <n>', 'how many', whole(1), 20)
    .action(withApi(source, list))
    .addCommand(
      newApiCommand(
        'show',
        'show a run: its steps, output and files',
        ['pilothouse runs show last', 'pilothouse runs show 0197f3c2-1a2b --json'],
        source,
      )
        .argument('<run>', 'id of the run, the beginning of it, or "last"')
        .action(withApi(source, show)),
    );

async function list(api: Api, { terminal, now }: Cli, flags: ListFlags): Promise<void> {
  const { status, error, workflow, limit } = flags;
  const labels = flags.label?.map(labelOf).map(([name, value]) => `${name}:${value}`);
  const items: RunView[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.runs({
      status,
      error,
      workflow,
      labels,
      limit: Math.min(200, limit - items.length),
      cursor,
    });
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor && items.length < limit);
  if (flags.json) return terminal.out(json({ items }));
  if (items.length === 0) return terminal.err('No runs. Start one: npx pilothouse run <workflow|file>');
  const name = shortIds(items.map(({ id }) => id));
  const heads = [
    { head: 'run' },
    { head: 'workflow', gives: true },
    { head: 'status' },
    { head: 'created' },
    { head: 'took', align: 'right' as const },
    { head: 'error', gives: true },
  ];
  const rows = items.map((run) => [
    name(run.id),
    short(clean(run.workflow?.name ?? 'steps'), 40),
    statusPaint(run.status, terminal.style)(run.status),
    relative(run.createdAt, now()),
    run.startedAt === null ? '' : duration(between(run.startedAt, run.finishedAt ?? now())),
    run.error?.code ?? '',
  ]);
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
}

async function show(api: Api, { terminal }: Cli, flags: ApiOptions, given: string): Promise<void> {
  const found = await findRun(api, given);
  // What the rungs took no list says.
  const whole = found.usage.calls > 0 && !found.rungs ? api.run(found.id) : found;
  const [run, steps, artifacts] = await Promise.all([whole, keptSteps(api, found.id), api.artifacts(found.id)]);
  if (flags.json) return terminal.out(json({ run, steps, output: run.output, error: run.error, artifacts }));
  const titled = await withTitles(api, found.id, steps ?? []);
  for (const line of runLines({ run, steps: titled, artifacts }, terminal)) terminal.out(line);
  if (steps === null) terminal.err(terminal.errStyle.dim('Its events and steps are no longer kept.'));
}

/** Steps with the titles that they had when they began: a title with templates is that of the workflow. */
async function withTitles(api: Api, run: string, steps: RunStepView[]): Promise<RunStepView[]> {
  if (!steps.some(({ title, status }) => status !== 'pending' && title.includes('{{'))) return steps;
  const titles = new Map<number, string>();
  try {
    for await (const event of api.events(run, { follow: false })) {
      if (event.type !== 'step.acting') continue;
      const { step, title } = event.data as EventData<'step.acting'>;
      titles.set(step, title);
    }
  } catch (thrown) {
    if (!isProblem(thrown, 'GONE')) throw thrown;
  }
  return steps.map((step) => ({ ...step, title: titles.get(step.index) ?? step.title }));
}
