import type { AcceptedTraceLabels } from '@pilothouse/contract/api/traces.routes';
import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import {
  correctedActionsSchema,
  traceQualitySchema,
  type CorrectedAction,
  type Trace,
  type TraceDetail,
  type TraceFilter,
  type TraceQuality,
} from '@pilothouse/contract/learning/trace.schema';
import { Option, type Command } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import { findRun, RUN_ARGUMENT, shortIds } from '../api/find-by-id.ts';
import { DEFAULT_LIMIT, printLimitHint, readPages } from '../api/read-pages.ts';
import { usage } from '../output/exit-codes.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { pairs, table } from '../output/text-table.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { wholeNumber } from '../runs/create-run.command.ts';

interface FilterFlags extends ApiOptions {
  readonly workflow?: string;
  readonly quality?: TraceQuality;
  readonly needsReview?: boolean;
  readonly model?: string;
  readonly search?: string;
}

interface ListFlags extends FilterFlags {
  readonly limit: number;
}

interface LabelFlags extends ApiOptions {
  readonly quality: TraceQuality;
  readonly reason: string;
  readonly thought?: string;
  readonly actions?: string;
}

interface AcceptFlags extends FilterFlags {
  readonly reason?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

interface PinFlags extends ApiOptions {
  readonly off?: boolean;
}

interface ScoreFlags extends FilterFlags {
  readonly budget?: string;
}

const withFilter = (command: Command): Command =>
  command
    .option('--workflow <name>', 'filter by workflow')
    .addOption(new Option('--quality <quality>', 'filter by quality').choices(traceQualitySchema.options))
    .option('--needs-review', 'only traces that need a review')
    .option('--model <model>', 'filter by model, as provider/model')
    .option('--search <text>', 'filter by text of the goal or workflow, or by the start of the run id');

const filterOf = ({ workflow, quality, needsReview, model, search }: FilterFlags): TraceFilter => ({
  ...(workflow !== undefined && { workflow }),
  ...(quality !== undefined && { quality: [quality] }),
  ...(needsReview && { needsReview }),
  ...(model !== undefined && { model }),
  ...(search !== undefined && { search }),
});

/** `pilothouse traces`. */
export const tracesCommand = (source = processSource) =>
  newNoun(
    'traces',
    'Review scored runs (training material).',
    [
      withFilter(
        newApiCommand(
          'list',
          'List traces, newest run first.',
          ['pilothouse traces list', 'pilothouse traces list --needs-review --workflow harbour-order'],
          source,
        ),
      )
        .option('-n, --limit <n>', 'maximum number of traces', wholeNumber(1), DEFAULT_LIMIT)
        .action(withApi(source, list)),
      newApiCommand(
        'show',
        'Show the steps of a trace with their labels.',
        ['pilothouse traces show last', 'pilothouse traces show 0197f3c2-1a2b --json'],
        source,
      )
        .argument('<run>', RUN_ARGUMENT)
        .action(withApi(source, show)),
      newApiCommand(
        'label',
        'Label a step. The label takes precedence over scores.',
        [
          'pilothouse traces label last 3 --quality good --reason "It opens the order"',
          'pilothouse traces label last 4 --quality bad --reason "Wrong button" --thought "Save the order first."',
          `pilothouse traces label last 5 --quality bad --reason "No answer" --actions '[{"kind": "done", "answer": "12 ropes"}]'`,
        ],
        source,
      )
        .argument('<run>', RUN_ARGUMENT)
        .argument('<step>', 'number of the step in the trace')
        .addOption(
          new Option('--quality <quality>', 'quality of the step')
            .choices(traceQualitySchema.options)
            .makeOptionMandatory(),
        )
        .requiredOption('--reason <text>', 'why')
        .option('--thought <text>', 'with bad: the thought that the turn should have had')
        .option('--actions <json>', 'with bad: the actions that the turn should have had, as in the REST API')
        .action(withApi(source, label)),
      withFilter(
        newApiCommand(
          'accept',
          'Label the steps of many traces with their current quality. Unknown steps and labeled steps are skipped.',
          [
            'pilothouse traces accept --workflow harbour-order --quality good --dry-run',
            'pilothouse traces accept --workflow harbour-order --quality good --reason "Checked a sample of ten"',
          ],
          source,
        ),
      )
        .option('--reason <text>', 'reason of the labels (default: Accepted with a filter)')
        .option('--dry-run', 'count only, label nothing')
        .option('--yes', 'skip the confirmation prompt with the counts')
        .action(withApi(source, accept)),
      newApiCommand(
        'pin',
        'Exclude the turn records of a run from retention.',
        ['pilothouse traces pin last', 'pilothouse traces pin last --off'],
        source,
      )
        .argument('<run>', RUN_ARGUMENT)
        .option('--off', 'let retention delete the records')
        .action(withApi(source, pin)),
      withFilter(
        newApiCommand(
          'score',
          'Score traces again whose score is incomplete or of another version.',
          ['pilothouse traces score', 'pilothouse traces score --workflow harbour-order --budget 0.5'],
          source,
        ),
      )
        .option('--budget <usd>', 'limit for model calls of each trace in US dollars')
        .action(withApi(source, score)),
      withFilter(
        newApiCommand(
          'stats',
          'Count steps by quality, workflow and model, and compare reviewers.',
          ['pilothouse traces stats', 'pilothouse traces stats --workflow harbour-order --json'],
          source,
        ),
      ).action(withApi(source, stats)),
    ],
    source,
  );

async function list(api: Api, cli: Cli, flags: ListFlags): Promise<void> {
  const found = await readPages((page) => api.traces({ ...page, ...filterOf(flags) }), flags.limit);
  if (flags.json) cli.terminal.out(json({ items: found.items }));
  else if (found.items.length > 0) printTraces(cli, found.items);
  else
    cli.terminal.err(
      Object.keys(filterOf(flags)).length > 0
        ? 'No trace matches the filter.'
        : 'No traces. Record turns: npx pilothouse project set --record-turns failures',
    );
  printLimitHint(cli.terminal, found, 'traces', flags.limit);
}

function printTraces({ terminal, now }: Cli, items: readonly Trace[]): void {
  const name = shortIds(items.map(({ run }) => run));
  const rows = items.map((trace) => [
    name(trace.run),
    clean(trace.workflowName),
    trace.status,
    qualityText(trace),
    stepsText(trace),
    trace.needsReview ? 'needed' : '',
    relative(trace.createdAt, now()),
  ]);
  const heads = ['run', 'workflow', 'status', 'quality', 'steps', 'review', 'created'].map((head) => ({
    head,
    canShrink: head === 'workflow',
  }));
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
}

const qualityText = ({ quality, scoredAt }: Trace): string => (scoredAt === null ? 'not scored' : quality);

const stepsText = ({ goodCount, badCount, unknownCount }: Trace): string =>
  `${goodCount} good, ${badCount} bad, ${unknownCount} unknown`;

async function show(api: Api, { terminal }: Cli, flags: ApiOptions, runName: string): Promise<void> {
  const trace = await api.trace((await findRun(api, runName)).id);
  if (flags.json) return terminal.out(json(trace));
  for (const line of traceLines(trace, terminal.style)) terminal.out(line);
}

function traceLines(trace: TraceDetail, style: Cli['terminal']['style']): string[] {
  const head = pairs(
    [
      ['run', `${trace.run}  ${style.bold(qualityText(trace))}${trace.isPinned ? ', pinned' : ''}`],
      ['workflow', clean(trace.workflowName)],
      ['goal', clean(trace.goal)],
      ['steps', stepsText(trace)],
      ...(trace.note === null ? [] : [['note', clean(trace.note)] as const]),
    ],
    style,
  );
  const steps = trace.steps.flatMap((step) => [
    '',
    `${style.bold(`${step.ordinal}  ${step.quality}`)}  ${style.dim(`by ${step.source}`)}  ${clean(step.reason)}`,
    ...(step.thought === '' ? [] : [style.dim(`  ${clean(step.thought)}`)]),
    ...step.actions.map(({ title, error }) => `  ${clean(title)}${error === null ? '' : ` ${style.red(error.code)}`}`),
    ...(step.correctedThought === null ? [] : [style.green(`  + ${clean(step.correctedThought)}`)]),
    ...(step.correctedActions ?? []).map((action) => style.green(`  + ${clean(JSON.stringify(action))}`)),
  ]);
  return [...head, ...steps];
}

async function label(api: Api, { terminal }: Cli, flags: LabelFlags, runName: string, step: string): Promise<void> {
  const ordinal = /^[1-9]\d{0,8}$/.test(step) ? Number(step) : null;
  if (ordinal === null)
    throw usage(`${clean(step)} is no step number. Use a number from "npx pilothouse traces show".`);
  const { id } = await findRun(api, runName);
  const { quality, reason, thought, actions } = flags;
  const correctedActions = actions === undefined ? undefined : parseActions(actions);
  const trace = await api.labelTraceStep(id, ordinal, {
    quality,
    reason,
    ...(thought !== undefined && { correctedThought: thought }),
    ...(correctedActions && { correctedActions }),
  });
  terminal.out(flags.json ? json(trace) : `Step ${ordinal} is ${quality}; the trace is ${trace.quality}`);
}

/** @throws CommandError for text that is no list of actions */
function parseActions(text: string): CorrectedAction[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usage('--actions: use a JSON list, e.g. [{"kind": "done", "answer": "12 ropes"}].');
  }
  const { data, error } = correctedActionsSchema.safeParse(value);
  if (error)
    throw usage(
      '--actions: the actions are invalid.',
      fieldErrors(error).map(({ pointer, detail }) => `  ${pointer}: ${detail}`),
    );
  return data;
}

async function accept(api: Api, { terminal }: Cli, flags: AcceptFlags): Promise<void> {
  const body = { filter: filterOf(flags), ...(flags.reason !== undefined && { reason: flags.reason }) };
  const countsText = ({ steps, traces }: AcceptedTraceLabels) => `${count(steps, 'step')} of ${count(traces, 'trace')}`;
  if (!flags.dryRun && !flags.yes && terminal.canPrompt) {
    const counted = await api.acceptTraceLabels({ ...body, dryRun: true });
    if (counted.steps === 0) return terminal.err('No steps to label.');
    if (!(await terminal.confirm(`Label ${countsText(counted)} with their current quality?`)))
      return terminal.err('Nothing labeled.');
  }
  const result = await api.acceptTraceLabels({ ...body, dryRun: flags.dryRun === true });
  if (flags.json) return terminal.out(json(result));
  terminal.out(flags.dryRun ? `Would label ${countsText(result)}.` : `Labeled ${countsText(result)}.`);
  if (!result.isComplete) terminal.out('More traces match. Run the command again.');
}

async function pin(api: Api, { terminal }: Cli, flags: PinFlags, runName: string): Promise<void> {
  const { id } = await findRun(api, runName);
  const trace = await api.pinTrace(id, !flags.off);
  if (flags.json) return terminal.out(json(trace));
  terminal.out(
    trace.isPinned ? 'Pinned: retention keeps its turn records' : 'Unpinned: retention can delete its turn records',
  );
}

async function score(api: Api, { terminal }: Cli, flags: ScoreFlags): Promise<void> {
  const budgetUsd = flags.budget === undefined ? undefined : Number(flags.budget);
  if (budgetUsd !== undefined && !(budgetUsd > 0)) throw usage('--budget: use US dollars above 0, e.g. 0.5.');
  const result = await api.scoreTraces({ filter: filterOf(flags), ...(budgetUsd !== undefined && { budgetUsd }) });
  if (flags.json) return terminal.out(json(result));
  terminal.out(`${count(result.jobs, 'job')} queued, for version ${result.version}`);
  if (!result.isComplete) terminal.out('More traces match. Run the command again.');
}

async function stats(api: Api, { terminal }: Cli, flags: FilterFlags): Promise<void> {
  const found = await api.traceStats(filterOf(flags));
  if (flags.json) return terminal.out(json(found));
  const { total, workflows, models, agreement } = found;
  const cells = (counts: typeof total) =>
    [counts.traces, counts.good, counts.bad, counts.unknown, counts.needsReview].map(String);
  const heads = (first: string) =>
    [first, 'traces', 'good', 'bad', 'unknown', 'review'].map((head) => ({ head, canShrink: head === first }));
  const print = (first: string, rows: string[][]) => {
    for (const line of table(heads(first), rows, terminal.style, terminal.columns)) terminal.out(line);
  };
  print('workflow', [
    ...workflows.map((workflow) => [clean(workflow.workflow), ...cells(workflow)]),
    ['total', ...cells(total)],
  ]);
  terminal.out('');
  print(
    'model',
    models.map((model) => [clean(model.model ?? 'no model'), ...cells(model)]),
  );
  for (const { reviewers, count: steps, kappa } of agreement)
    terminal.out(
      `${reviewers.map(clean).join(' and ')}: κ ${kappa === null ? 'undefined' : kappa.toFixed(2)} over ${count(steps, 'step')}`,
    );
}
