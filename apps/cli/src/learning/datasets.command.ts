import { datasetSplits } from '@pilothouse/contract/learning/dataset-example.schema';
import { createDatasetSchema, type DatasetView } from '@pilothouse/contract/learning/dataset.schema';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import { readPages } from '../api/read-pages.ts';
import { normalizeId } from '../api/find-by-id.ts';
import { usage } from '../output/exit-codes.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { pairs, table } from '../output/text-table.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { exportCommands, problemsText } from './dataset-exports.command.ts';
import { DATASET_ARGUMENT, findDatasetId } from './find-dataset.ts';

interface CreateFlags extends ApiOptions {
  readonly workflow?: string[];
  readonly site?: string[];
  readonly model?: string[];
  readonly quality?: string[];
  readonly from?: string;
  readonly to?: string;
  readonly shares?: readonly number[];
  readonly seed?: string;
  readonly license?: string;
  readonly consent?: string;
}

/** Numbers separated by commas. */
const numbers = (text: string): number[] => text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));

/** `pilothouse datasets`. */
export const datasetsCommand = (source = processSource) => {
  const command = (name: string, description: string, example: string) =>
    newApiCommand(name, description, [example], source);
  return newNoun(
    'datasets',
    'Build datasets of labeled steps, and export them for trainers.',
    [
      command('list', 'List datasets.', 'pilothouse datasets list')
        .option('--name <name>', 'only versions of this dataset')
        .action(withApi(source, list)),
      command('show', 'Show a dataset with its card.', 'pilothouse datasets show last')
        .argument('<dataset>', DATASET_ARGUMENT)
        .action(withApi(source, show)),
      command('create', 'Build a dataset.', 'pilothouse datasets create orders --workflow order-supplies')
        .argument('<name>', 'name of the dataset')
        .option('--workflow <name...>', 'only these workflows')
        .option('--site <host...>', 'only these sites')
        .option('--model <model...>', 'only steps of these models')
        .option('--quality <quality...>', 'qualities of steps (default: good bad)')
        .option('--from <time>', 'only runs from this time on, in ISO 8601')
        .option('--to <time>', 'only runs before this time, in ISO 8601')
        .option('--shares <numbers>', 'shares of train, validation and test (default: 0.8,0.1,0.1)', numbers)
        .option('--seed <n>', 'seed of the split (default: 1)')
        .option('--license <text>', 'license, for the card')
        .option('--consent <text>', 'basis on which the data may be used, for the card')
        .action(withApi(source, create)),
      command('update', 'Build the next version, without deleted runs.', 'pilothouse datasets update 0197f3c2-1a2b')
        .argument('<dataset>', DATASET_ARGUMENT)
        .action(
          withApi(source, async (api: Api, cli: Cli, flags: ApiOptions, name: string) =>
            printDataset(cli, flags, await api.createDatasetVersion(await findDatasetId(api, name))),
          ),
        ),
      command('delete', 'Delete a dataset with its exports.', 'pilothouse datasets delete 0197f3c2-1a2b')
        .argument('<dataset>', 'dataset id or id prefix')
        .action(
          withApi(source, async (api: Api, { terminal }: Cli, flags: ApiOptions, name: string) => {
            // A new build changes which dataset is the last one.
            if (normalizeId(name) === 'last')
              throw usage('"last" cannot be deleted. Name the dataset by its id or an id prefix.', [
                'List datasets: npx pilothouse datasets list',
              ]);
            const dataset = await api.deleteDataset(await findDatasetId(api, name));
            terminal.out(flags.json ? json(dataset) : `${clean(dataset.name)} version ${dataset.version} deleted`);
          }),
        ),
      ...exportCommands(source),
    ],
    source,
  );
};

async function list(api: Api, { terminal, now }: Cli, flags: ApiOptions & { readonly name?: string }): Promise<void> {
  const { items } = await readPages((page) =>
    api.datasets({ ...page, ...(flags.name !== undefined && { name: flags.name }) }),
  );
  if (flags.json) return terminal.out(json({ items }));
  if (items.length === 0) return terminal.err('No datasets. Create one: npx pilothouse datasets create <name>');
  const heads = [
    { head: 'dataset', canShrink: true },
    { head: 'version', align: 'right' as const },
    { head: 'status' },
    { head: 'steps', align: 'right' as const },
    { head: 'created' },
    { head: 'id' },
  ];
  const rows = items.map((item) => [
    clean(item.name),
    String(item.version),
    statusText(item),
    String(item.exampleCount),
    relative(item.createdAt, now()),
    item.id,
  ]);
  for (const line of table(heads, rows, terminal.style, terminal.columns)) terminal.out(line);
}

const statusText = ({ status, isStale }: DatasetView) => (isStale ? `${status}, stale` : status);

async function show(api: Api, cli: Cli, flags: ApiOptions, name: string): Promise<void> {
  const dataset = await api.dataset(await findDatasetId(api, name));
  printDataset(cli, flags, dataset);
  if (flags.json || !dataset.card) return;
  const { counts, splits, omissions, sha256 } = dataset.card;
  const facts: [string, string][] = [
    ['traces', String(counts.traces)],
    ['splits', datasetSplits.map((split) => `${splits[split] ?? 0} ${split}`).join(', ')],
    ['screenshots', String(counts.images)],
    ['duplicates', String(counts.duplicates)],
    ['redactions', String(counts.redactions)],
    ['sha256', sha256],
    ...omissions.map(({ reason, count: steps }): [string, string] => ['left out', `${clean(reason)}: ${steps}`]),
  ];
  for (const line of pairs(facts, cli.terminal.style)) cli.terminal.out(line);
}

function printDataset({ terminal }: Cli, flags: ApiOptions, dataset: DatasetView): void {
  if (flags.json) return terminal.out(json(dataset));
  const { id, name, version, exampleCount, error } = dataset;
  terminal.out(`${clean(name)} version ${version}: ${statusText(dataset)}, ${count(exampleCount, 'step')}`);
  terminal.out(id);
  if (error !== null) terminal.err(clean(error));
}

async function create(api: Api, cli: Cli, flags: CreateFlags, name: string): Promise<void> {
  const { workflow, site, model, quality, from, to, shares, seed, license, consent } = flags;
  const [train, validation, test] = shares ?? [];
  const parsed = createDatasetSchema.safeParse({
    name,
    query: { workflows: workflow, sites: site, models: model, qualities: quality, from, to },
    ...(shares && { shares: { train, validation, test } }),
    ...(seed !== undefined && { seed: Number(seed) }),
    ...(license !== undefined && { license }),
    ...(consent !== undefined && { consent }),
  });
  if (!parsed.success) throw usage(problemsText(parsed.error));
  printDataset(cli, flags, await api.createDataset(parsed.data));
}
