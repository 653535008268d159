import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  createDatasetSchema,
  createExportSchema,
  datasetSplits,
  dialects,
  exportFormats,
  exportObjectives,
  fieldErrors,
  type DatasetView,
  type ExportView,
} from '@pilothouse/contract';
import { Option } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import { CommandError, exitCodes, usage } from '../output/exit-codes.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { pairs, table } from '../output/text-table.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';

/** Datasets that one request reads. */
const DATASETS_PER_PAGE = 200;

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

interface ExportFlags extends ApiOptions {
  readonly format: string;
  readonly objective?: string;
  readonly dialect?: string;
  readonly images: boolean;
  readonly imageBase?: string;
  readonly destination?: string;
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
      command('show', 'Show a dataset with its card.', 'pilothouse datasets show 0198c0de-0000-7000-8000-000000000001')
        .argument('<dataset>', 'id of the dataset')
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
      command(
        'update',
        'Build the next version, without deleted runs.',
        'pilothouse datasets update 0198c0de-0000-7000-8000-000000000001',
      )
        .argument('<dataset>', 'id of a version')
        .action(
          withApi(source, async (api: Api, cli: Cli, flags: ApiOptions, id: string) =>
            printDataset(cli, flags, await api.createDatasetVersion(id)),
          ),
        ),
      command(
        'delete',
        'Delete a dataset with its exports.',
        'pilothouse datasets delete 0198c0de-0000-7000-8000-000000000001',
      )
        .argument('<dataset>', 'id of the dataset')
        .action(
          withApi(source, async (api: Api, { terminal }: Cli, flags: ApiOptions, id: string) => {
            const dataset = await api.deleteDataset(id);
            terminal.out(flags.json ? json(dataset) : `${clean(dataset.name)} version ${dataset.version} deleted`);
          }),
        ),
      command(
        'export',
        'Export a dataset in the format of a trainer.',
        'pilothouse datasets export 0198c0de-0000-7000-8000-000000000001 --format llamafactory',
      )
        .argument('<dataset>', 'id of the dataset')
        .addOption(
          new Option('--format <format>', 'format of the trainer').choices(exportFormats).makeOptionMandatory(),
        )
        .addOption(new Option('--objective <objective>', 'what the model learns').choices(exportObjectives))
        .addOption(new Option('--dialect <dialect>', 'format of the answers (default: aura)').choices(dialects))
        .option('--no-images', 'leave screenshots out')
        .option('--image-base <folder>', 'gs:// folder with the screenshots, for the format gemini')
        .option('--destination <name>', 'export destination that also receives the files')
        .action(withApi(source, startExport)),
      command(
        'exports',
        'List the exports of a dataset.',
        'pilothouse datasets exports 0198c0de-0000-7000-8000-000000000001',
      )
        .argument('<dataset>', 'id of the dataset')
        .action(withApi(source, exports)),
      command(
        'download',
        'Download the files of an export.',
        'pilothouse datasets download 0198c0de-0000-7000-8000-000000000001 0198c0de-0000-7000-8000-000000000002 --to orders',
      )
        .argument('<dataset>', 'id of the dataset')
        .argument('<export>', 'id of the export')
        .requiredOption('--to <folder>', 'folder for the files')
        .action(withApi(source, download)),
    ],
    source,
  );
};

async function list(api: Api, { terminal, now }: Cli, flags: ApiOptions & { readonly name?: string }): Promise<void> {
  const items: DatasetView[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.datasets({
      limit: DATASETS_PER_PAGE,
      ...(flags.name !== undefined && { name: flags.name }),
      ...(cursor !== undefined && { cursor }),
    });
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
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

async function show(api: Api, cli: Cli, flags: ApiOptions, id: string): Promise<void> {
  const dataset = await api.dataset(id);
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

const problemsText = (error: Parameters<typeof fieldErrors>[0]) =>
  fieldErrors(error)
    .map(({ pointer, detail }) => `${pointer}: ${detail}`)
    .join('\n');

async function startExport(api: Api, cli: Cli, flags: ExportFlags, id: string): Promise<void> {
  const { format, objective, dialect, images, imageBase, destination } = flags;
  const parsed = createExportSchema.safeParse({
    format,
    objective,
    dialect,
    includeImages: images,
    imageBase,
    destination,
  });
  if (!parsed.success) throw usage(problemsText(parsed.error));
  printExport(cli, flags, await api.createDatasetExport(id, parsed.data));
}

function printExport({ terminal }: Cli, flags: ApiOptions, one: ExportView): void {
  if (flags.json) return terminal.out(json(one));
  const { id, status, options, report, files, error } = one;
  const lines = report ? `, ${count(report.lines, 'line')}` : '';
  terminal.out(`${id}  ${options.format} ${options.objective} in ${options.dialect}: ${status}${lines}`);
  for (const { reason, count: steps } of report?.rejected ?? [])
    terminal.out(`  left out: ${clean(reason)}: ${count(steps, 'step')}`);
  for (const { uri } of files) if (uri !== undefined) terminal.out(`  ${clean(uri)}`);
  if (error !== null) terminal.err(clean(error));
}

async function exports(api: Api, cli: Cli, flags: ApiOptions, id: string): Promise<void> {
  const items = await api.datasetExports(id);
  if (flags.json) return cli.terminal.out(json({ items }));
  if (items.length === 0)
    return cli.terminal.err(`No exports. Create one: npx pilothouse datasets export ${clean(id)} --format <format>`);
  for (const item of items) printExport(cli, flags, item);
}

async function download(
  api: Api,
  { terminal }: Cli,
  { to }: ApiOptions & { readonly to: string },
  dataset: string,
  id: string,
): Promise<void> {
  const folder = resolve(to);
  let cursor: string | undefined;
  let files = 0;
  do {
    const page = await api.datasetFiles(dataset, id, { limit: 200, ...(cursor !== undefined && { cursor }) });
    for (const { name, transfer } of page.items) {
      const path = join(folder, name);
      if (!path.startsWith(folder + sep))
        throw new CommandError(exitCodes.failed, `The service named a file outside of the folder: ${clean(name)}`);
      await mkdir(dirname(path), { recursive: true });
      const response = await fetch(transfer.url, { headers: transfer.headers });
      if (!response.ok || !response.body)
        throw new CommandError(exitCodes.failed, `${clean(name)} was not sent: status ${response.status}`);
      await pipeline(response.body as AsyncIterable<Uint8Array>, createWriteStream(path));
      files += 1;
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  terminal.out(`${count(files, 'file')} in ${folder}`);
}
