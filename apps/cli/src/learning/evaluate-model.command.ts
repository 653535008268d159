import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { datasetSplits } from '@pilothouse/contract/learning/dataset-example.schema';
import type { Job } from '@pilothouse/contract/job/job.schema';
import {
  evaluationResultSchema,
  startEvaluationSchema,
  type EvaluationProblem,
  type EvaluationRate,
  type EvaluationResult,
} from '@pilothouse/contract/learning/offline-evaluation.schema';
import { idSchema, slugSchema } from '@pilothouse/contract/primitives.schema';
import { differenceInterval } from '@pilothouse/core/evaluation/confidence-interval';
import { InvalidArgumentError, Option } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { newApiCommand, withApi, type processSource } from '../api/define-command.ts';
import { isIdPrefix, normalizeId, shortId } from '../api/find-by-id.ts';
import { readPages } from '../api/read-pages.ts';
import { CommandError, exitCodes, usage } from '../output/exit-codes.ts';
import { clean } from '../output/sanitize-text.ts';
import { table, type Column } from '../output/text-table.ts';
import { json } from '../output/value-text.ts';
import { wholeNumber } from '../runs/create-run.command.ts';
import { findDatasetId } from './find-dataset.ts';

/** Refused connections in a row after which the command stops: about four minutes. */
const MAX_REFUSALS = 60;

interface EvaluateFlags extends ApiOptions {
  readonly dataset: string;
  readonly against?: string;
  readonly split: string;
  readonly limit?: number;
  readonly budgetUsd?: number;
}

const dollars = (text: string) => {
  const amount = Number(text);
  if (text.trim() === '' || !(amount >= 0)) throw new InvalidArgumentError('Use US dollars, e.g. 2.50.');
  return amount;
};

/** `pilothouse models evaluate`. */
export const evaluateCommand = (source: typeof processSource) =>
  newApiCommand(
    'evaluate',
    'Compare the actions that a model chooses with the expected actions of a dataset. Starts no run.',
    ['pilothouse models evaluate rope-v2 --dataset orders --against base'],
    source,
  )
    .argument('<name>', 'name in the registry, or endpoint/model')
    .requiredOption(
      '--dataset <dataset>',
      'name, name@version (default: newest ready version), id, id prefix, or "last"',
    )
    .option('--against <model>', 'second model: base, a name in the registry, or endpoint/model')
    .addOption(new Option('--split <split>', 'split of the dataset').choices(datasetSplits).default('test'))
    .option('--limit <n>', 'maximum number of examples (default: 1000)', wholeNumber(1))
    .option('--budget-usd <amount>', 'limit for the calls of each model in US dollars', dollars)
    .action(withApi(source, evaluate));

async function evaluate(api: Api, cli: Cli, flags: EvaluateFlags, name: string): Promise<void> {
  const { terminal } = cli;
  const { split, limit, budgetUsd } = flags;
  const dataset = await datasetIdOf(api, flags.dataset);
  const names = [name, ...(flags.against === undefined ? [] : [await otherModel(api, name, flags.against)])];
  const bodies = names.map((model) => {
    const parsed = startEvaluationSchema.safeParse({ model, dataset, split, limit, budgetUsd });
    if (parsed.success) return parsed.data;
    const lines = fieldErrors(parsed.error).map(({ pointer, detail }) => clean(`${pointer}: ${detail}`));
    throw usage('The evaluation cannot be started.', lines);
  });
  const jobs: Job[] = [];
  for (const body of bodies) {
    const job = await api.startEvaluation(body);
    terminal.err(`Evaluation of ${clean(body.model)}: job ${job.id}`);
    jobs.push(job);
  }
  const results: EvaluationResult[] = [];
  try {
    for (const { id } of jobs) results.push(await resultOf(api, cli, id));
  } finally {
    terminal.status(null);
  }
  if (flags.json) return terminal.out(json({ results }));
  for (const line of comparisonLines(names, results, cli)) terminal.out(line);
}

/** Id of a dataset. @param text id, id prefix, "last", name or `name@version`. If it is both a name and an id prefix, the name wins */
async function datasetIdOf(api: Api, text: string): Promise<string> {
  if (idSchema.safeParse(text).success) return text;
  const [name = '', version] = text.split('@');
  const isName = slugSchema.safeParse(name).success;
  const { items } = isName ? await readPages((page) => api.datasets({ ...page, name })) : { items: [] };
  const found = items
    .filter(
      (dataset) =>
        dataset.name === name &&
        (version === undefined ? dataset.status === 'ready' : String(dataset.version) === version),
    )
    .toSorted((first, second) => second.version - first.version)[0];
  if (found) return found.id;
  const prefix = normalizeId(text);
  if (items.length === 0 && (prefix === 'last' || isIdPrefix(prefix))) return findDatasetId(api, prefix);
  throw usage(`No ${version === undefined ? 'ready ' : ''}dataset ${clean(text)}.`, [
    'List datasets: npx pilothouse datasets list',
  ]);
}

async function otherModel(api: Api, name: string, against: string): Promise<string> {
  if (against !== 'base') return against;
  const { base } = await api.registeredModel(name);
  if (base !== null) return base;
  throw usage(`The model ${clean(name)} has no base.`, ['Name the other model: --against endpoint/model']);
}

/**
 * Waits for a job. The job goes on when the command is stopped.
 * @throws CommandError if the job failed; UNAVAILABLE after too many refused connections
 */
async function resultOf(api: Api, { terminal }: Cli, id: string): Promise<EvaluationResult> {
  const onRefusal = (refusals: number, error: Error) => {
    if (refusals === MAX_REFUSALS) throw error;
    terminal.status(() => `job ${shortId(id)}: the API is not available`);
  };
  for await (const { status, progress, error, result } of api.jobStates(id, { onRefusal })) {
    if (status === 'completed') return evaluationResultSchema.parse(result);
    if (status === 'failed' || status === 'cancelled')
      throw new CommandError(
        exitCodes.failed,
        `The evaluation ${shortId(id)} ${status === 'failed' ? 'failed' : 'was cancelled'}.`,
        [...(error ? [clean(error.message)] : []), `Continue it: npx pilothouse jobs retry ${shortId(id)}`],
      );
    terminal.status(() =>
      progress
        ? `job ${shortId(id)}: ${progress.done} of ${progress.total ?? '?'} examples`
        : `job ${shortId(id)}: ${status}`,
    );
  }
  throw new CommandError(exitCodes.failed, `The evaluation ${shortId(id)} was deleted.`, [
    'List jobs: npx pilothouse jobs list',
  ]);
}

const columnsOfResults: readonly Column[] = [
  { head: 'MODEL', canShrink: true },
  { head: 'MATCH', align: 'right' },
  { head: 'RATE', align: 'right' },
  { head: '95 % INTERVAL', align: 'right' },
  { head: 'KIND', align: 'right' },
  { head: 'TARGET', align: 'right' },
  { head: 'TEXT', align: 'right' },
  { head: 'DISTANCE', align: 'right' },
  { head: 'TIME', align: 'right' },
  { head: 'TOKENS', align: 'right' },
  { head: 'COST', align: 'right' },
  { head: 'ERRORS', align: 'right' },
];

const percent = (share: number) => `${Math.round(share * 100)} %`;
const rate = ({ successes, trials }: EvaluationRate) => (trials === 0 ? '–' : percent(successes / trials));
const total = (problems: readonly EvaluationProblem[]) => problems.reduce((sum, { count }) => sum + count, 0);

function resultRow(name: string, result: EvaluationResult) {
  const { actionMatchRate, kindMatchRate, targetMatchRate, textMatchRate, grounding, latencyMs, tokens, usd, errors } =
    result;
  return [
    clean(name),
    `${actionMatchRate.successes}/${actionMatchRate.trials}`,
    rate(actionMatchRate),
    `${Math.round(actionMatchRate.low * 100)}–${Math.round(actionMatchRate.high * 100)} %`,
    rate(kindMatchRate),
    rate(targetMatchRate),
    rate(textMatchRate),
    grounding ? `${Math.round(grounding.medianPixels)} px` : '–',
    latencyMs ? `${(latencyMs.median / 1000).toFixed(1)} s` : '–',
    String(tokens.input + tokens.output),
    usd === null ? '–' : `$${usd.toFixed(4)}`,
    String(total(errors)),
  ];
}

function comparisonLines(names: readonly string[], results: readonly EvaluationResult[], { terminal }: Cli): string[] {
  const { style, columns } = terminal;
  const rows = results.map((result, index) => resultRow(names[index] ?? result.model, result));
  const problems = results.flatMap(({ errors }, index) =>
    errors.map(({ reason, count }) => `${clean(names[index] ?? '')}: ${count} × ${clean(reason)}`),
  );
  const [first, second] = results;
  const skipped = (first?.skipped ?? []).map(({ reason, count }) => `Skipped: ${count} × ${clean(reason)}`);
  return [
    ...table(columnsOfResults, rows, style, columns),
    ...[...problems, ...skipped].map((line) => style.dim(line)),
    ...(first && second ? [differenceText(names, first.actionMatchRate, second.actionMatchRate)] : []),
  ];
}

function differenceText(
  [first = '', second = '']: readonly string[],
  candidate: EvaluationRate,
  base: EvaluationRate,
): string {
  const { low, high } = differenceInterval(base, candidate);
  const points = (share: number) => `${share >= 0 ? '+' : ''}${Math.round(share * 100)}`;
  const difference = candidate.successes / Math.max(1, candidate.trials) - base.successes / Math.max(1, base.trials);
  const verdict = low > 0 || high < 0 ? 'The difference is significant.' : 'The difference is not significant.';
  return `${clean(first)} against ${clean(second)}: ${points(difference)} percentage points, 95 % interval ${points(low)} to ${points(high)}. ${verdict}`;
}
