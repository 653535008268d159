import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import {
  createExportSchema,
  exportFormats,
  exportObjectives,
  type ExportView,
} from '@pilothouse/contract/learning/dataset-export.schema';
import { dialects } from '@pilothouse/contract/model/model.schema';
import { Option, type Command } from 'commander';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { newApiCommand, withApi, type CliSource } from '../api/define-command.ts';
import { CommandError, exitCodes, usage } from '../output/exit-codes.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { json } from '../output/value-text.ts';
import { DATASET_ARGUMENT, EXPORT_ARGUMENT, findDatasetId, findExportId, MAX_LISTED_EXPORTS } from './find-dataset.ts';

interface ExportFlags extends ApiOptions {
  readonly format: string;
  readonly objective?: string;
  readonly dialect?: string;
  readonly images: boolean;
  readonly imageBase?: string;
  readonly destination?: string;
}

/** Commands of `pilothouse datasets` about exports. */
export const exportCommands = (source: CliSource): Command[] => {
  const command = (name: string, description: string, example: string) =>
    newApiCommand(name, description, [example], source);
  return [
    command(
      'export',
      'Export a dataset in the format of a trainer.',
      'pilothouse datasets export last --format llamafactory',
    )
      .argument('<dataset>', DATASET_ARGUMENT)
      .addOption(new Option('--format <format>', 'format of the trainer').choices(exportFormats).makeOptionMandatory())
      .addOption(new Option('--objective <objective>', 'what the model learns').choices(exportObjectives))
      .addOption(new Option('--dialect <dialect>', 'format of the answers (default: aura)').choices(dialects))
      .option('--no-images', 'leave screenshots out')
      .option('--image-base <folder>', 'gs:// folder with the screenshots, for the format gemini')
      .option('--destination <name>', 'export destination that also receives the files')
      .action(withApi(source, startExport)),
    command('exports', 'List the exports of a dataset.', 'pilothouse datasets exports last')
      .argument('<dataset>', DATASET_ARGUMENT)
      .action(withApi(source, exports)),
    command(
      'download',
      'Download the files of an export.',
      'pilothouse datasets download 0197f3c2-1a2b last --to orders',
    )
      .argument('<dataset>', DATASET_ARGUMENT)
      .argument('<export>', EXPORT_ARGUMENT)
      .requiredOption('--to <folder>', 'folder for the files')
      .action(withApi(source, download)),
  ];
};

/** Invalid fields, one line each. */
export const problemsText = (error: Parameters<typeof fieldErrors>[0]) =>
  fieldErrors(error)
    .map(({ pointer, detail }) => `${pointer}: ${detail}`)
    .join('\n');

async function startExport(api: Api, cli: Cli, flags: ExportFlags, dataset: string): Promise<void> {
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
  printExport(cli, flags, await api.createDatasetExport(await findDatasetId(api, dataset), parsed.data));
}

function printExport({ terminal }: Cli, flags: ApiOptions, view: ExportView): void {
  if (flags.json) return terminal.out(json(view));
  const { id, status, options, report, files, error } = view;
  const lines = report ? `, ${count(report.lines, 'line')}` : '';
  terminal.out(`${id}  ${options.format} ${options.objective} in ${options.dialect}: ${status}${lines}`);
  for (const { reason, count: steps } of report?.rejected ?? [])
    terminal.out(`  left out: ${clean(reason)}: ${count(steps, 'step')}`);
  for (const { uri } of files) if (uri !== undefined) terminal.out(`  ${clean(uri)}`);
  if (error !== null) terminal.err(clean(error));
}

async function exports(api: Api, cli: Cli, flags: ApiOptions, dataset: string): Promise<void> {
  const id = await findDatasetId(api, dataset);
  const items = await api.datasetExports(id);
  if (flags.json) cli.terminal.out(json({ items }));
  else if (items.length === 0)
    cli.terminal.err(`No exports. Create one: npx pilothouse datasets export ${id} --format <format>`);
  else for (const item of items) printExport(cli, flags, item);
  if (items.length === MAX_LISTED_EXPORTS)
    cli.terminal.err(
      cli.terminal.errStyle.dim(
        `Only the newest ${MAX_LISTED_EXPORTS} exports are listed. To list all export jobs: npx pilothouse jobs list --kind export`,
      ),
    );
}

async function download(
  api: Api,
  { terminal }: Cli,
  { to: target }: ApiOptions & { readonly to: string },
  datasetName: string,
  exportName: string,
): Promise<void> {
  const dataset = await findDatasetId(api, datasetName);
  const id = await findExportId(api, dataset, exportName);
  const folder = resolve(target);
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
