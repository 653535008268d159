import { errorCodes, type ErrorCode } from '@pilothouse/contract/errors/error-codes';
import type { EventData } from '@pilothouse/contract/events/event-log.schema';
import { didYouMean } from '@pilothouse/contract/nearest';
import { runOriginKinds, type RunOriginKind } from '@pilothouse/contract/run/run-origin.schema';
import { runStatuses, type RunStatus } from '@pilothouse/contract/run/run-status';
import type { RunStepView, RunView } from '@pilothouse/contract/run/run.schema';
import { InvalidArgumentError } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findRun, RUN_ARGUMENT, shortIds } from '../api/find-by-id.ts';
import { DEFAULT_LIMIT, printLimitHint, readPages } from '../api/read-pages.ts';
import { isProblem } from '../api/error-message.ts';
import { runLines, statusPaint } from '../output/run-details.ts';
import { table } from '../output/text-table.ts';
import { secondsBetween, duration, relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { answerCommand } from './answer-run.command.ts';
import { artifactsCommand } from './run-artifacts.command.ts';
import { cancelCommand } from './cancel-run.command.ts';
import { compileCommand } from './compile-run.command.ts';
import { logsCommand } from './run-logs.command.ts';
import { retryCommand } from './retry-run.command.ts';
import { createRunCommand, collect, labelOf, wholeNumber } from './create-run.command.ts';
import { storedSteps } from './run-steps.ts';
import { runTitle } from '../output/run-title.ts';

interface ListFlags extends ApiOptions {
  readonly status?: RunStatus[];
  readonly errorCode?: ErrorCode[];
  readonly origin?: RunOriginKind[];
  readonly workflow?: string;
  readonly parent?: string;
  readonly unverified?: boolean;
  readonly label?: readonly string[];
  readonly limit: number;
}

/** Parses a list of names. Shell completion reads `names`. */
const parseNames = <Name extends string>(names: readonly Name[]) => {
  const parse = (text: string): Name[] =>
    text.split(',').map((part) => {
      const match = names.find((name) => name === part.trim());
      if (match === undefined) throw new InvalidArgumentError(`Use ${names.join(', ')}.`);
      return match;
    });
  return Object.assign(parse, { names });
};

const parseErrorCodes = Object.assign(
  (text: string): ErrorCode[] => {
    const allowed: readonly string[] = errorCodes;
    const codes = text.split(',').map((code) => code.trim().toUpperCase());
    const unknown = codes.find((code) => !allowed.includes(code));
    if (unknown !== undefined)
      throw new InvalidArgumentError(
        `Unknown error code ${unknown}. ${didYouMean(unknown, allowed) ?? 'Example: TARGET_NOT_FOUND.'}`,
      );
    return codes as ErrorCode[];
  },
  { names: errorCodes },
);

/** `pilothouse runs`. */
export const runsCommand = (source = processSource) =>
  newNoun(
    'runs',
    'Create, list, show, follow, answer, cancel, retry and compile runs.',
    [
      createRunCommand(source),
      newApiCommand(
        'list',
        'List runs, newest first.',
        [
          'pilothouse runs list --status running,queued',
          'pilothouse runs list --workflow harbour-order --label team=purchasing',
        ],
        source,
      )
        .option('--status <list>', `filter by status: ${runStatuses.join(', ')}`, parseNames(runStatuses))
        .option(
          '--origin <list>',
          `filter by what started the run: ${runOriginKinds.join(', ')}`,
          parseNames(runOriginKinds),
        )
        .option('--error-code <list>', 'filter by error code', parseErrorCodes)
        .option('--workflow <name>', 'filter by workflow')
        .option('--parent <run>', 'only child runs of this run')
        .option('--unverified', 'only runs with steps whose effect could not be seen')
        .option('-l, --label <name=value>', 'filter by label; repeatable', collect)
        .option('-n, --limit <n>', 'maximum number of runs', wholeNumber(1), DEFAULT_LIMIT)
        .action(withApi(source, list)),
      newApiCommand(
        'show',
        'Show a run with steps, output and artifacts.',
        ['pilothouse runs show last', 'pilothouse runs show 0197f3c2-1a2b --json'],
        source,
      )
        .argument('<run>', RUN_ARGUMENT)
        .action(withApi(source, show)),
      logsCommand(source),
      artifactsCommand(source),
      answerCommand(source),
      cancelCommand(source),
      retryCommand(source),
      compileCommand(source),
    ],
    source,
  );

async function list(api: Api, cli: Cli, flags: ListFlags): Promise<void> {
  const { status, origin, errorCode, workflow, limit } = flags;
  const unverified = flags.unverified ? 'true' : undefined;
  const parentRunId = flags.parent === undefined ? undefined : (await findRun(api, flags.parent)).id;
  const labels = flags.label?.map(labelOf).map(([name, value]) => `${name}:${value}`);
  const found = await readPages(
    (page) => api.runs({ status, origin, error: errorCode, workflow, parentRunId, labels, unverified, ...page }),
    limit,
  );
  if (flags.json) cli.terminal.out(json({ items: found.items }));
  else printRuns(cli, found.items);
  printLimitHint(cli.terminal, found, 'runs', limit);
}

function printRuns({ terminal, now }: Cli, items: readonly RunView[]): void {
  if (items.length === 0) return terminal.err('No runs. Start one: npx pilothouse run <workflow|file>');
  const name = shortIds(items.map(({ id }) => id));
  const heads = [
    { head: 'run' },
    { head: 'workflow or goal', canShrink: true },
    { head: 'status' },
    { head: 'started by' },
    { head: 'created' },
    { head: 'duration', align: 'right' as const },
    { head: 'unverified', align: 'right' as const },
    { head: 'error', canShrink: true },
  ];
  const rows = items.map((run) => [
    name(run.id),
    runTitle(run, 40),
    statusPaint(run.status, terminal.style)(run.status),
    run.origin.kind,
    relative(run.createdAt, now()),
    run.startedAt === null ? '' : duration(secondsBetween(run.startedAt, run.finishedAt ?? now())),
    run.unverifiedSteps > 0 ? String(run.unverifiedSteps) : '',
    run.error?.code ?? '',
  ]);
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
}

async function show(api: Api, { terminal }: Cli, flags: ApiOptions, name: string): Promise<void> {
  const view = await findRun(api, name);
  // Lists do not contain the tiers and the answer sources.
  const isListed = view.usage.calls > 0 ? !view.tiers : view.goal !== null && !view.answerSources;
  const complete = isListed ? api.run(view.id) : view;
  const [run, steps, artifacts] = await Promise.all([complete, storedSteps(api, view.id), api.artifacts(view.id)]);
  if (flags.json) return terminal.out(json({ run, steps, output: run.output, error: run.error, artifacts }));
  const titledSteps = await withTitles(api, view.id, steps ?? []);
  for (const line of runLines({ run, steps: titledSteps, artifacts }, terminal)) terminal.out(line);
  if (steps === null) terminal.err(terminal.errStyle.dim('Steps and events were deleted by the retention policy.'));
}

/** Steps with the titles of their start events, in which templates are filled in. */
async function withTitles(api: Api, run: string, steps: RunStepView[]): Promise<RunStepView[]> {
  if (!steps.some(({ title, status }) => status !== 'pending' && title.includes('{{'))) return steps;
  const titles = new Map<number, string>();
  try {
    for await (const event of api.events(run, { follow: false })) {
      if (event.type !== 'step.started') continue;
      const { step, title } = event.data as EventData<'step.started'>;
      titles.set(step, title);
    }
  } catch (thrown) {
    if (!isProblem(thrown, 'GONE')) throw thrown;
  }
  return steps.map((step) => ({ ...step, title: titles.get(step.index) ?? step.title }));
}
