import { exportJobParamsSchema } from '@pilothouse/contract/learning/dataset-export.schema';
import type { Api } from '../api/api-port.ts';
import { findId, idArgumentHelp } from '../api/find-by-id.ts';

/** Maximum number of exports of a dataset that the API lists. */
export const MAX_LISTED_EXPORTS = 100;

/** Help of the arguments that name a dataset and an export. */
export const DATASET_ARGUMENT = idArgumentHelp('dataset');
export const EXPORT_ARGUMENT = idArgumentHelp('export');

/**
 * Finds the id of a dataset by an id prefix, or `last`. A full id is returned without a request.
 * @throws CommandError if none or several match
 */
export const findDatasetId = (api: Pick<Api, 'datasets'>, name: string): Promise<string> =>
  findId(name, {
    noun: 'dataset',
    hint: 'List datasets: npx pilothouse datasets list',
    emptyHint: 'Create one: npx pilothouse datasets create <name>',
    readPage: (page) => api.datasets(page),
    describe: (dataset) => `${dataset.name} version ${dataset.version}`,
  });

/**
 * Finds the id of an export of a dataset by an id prefix, or `last`. A full id is returned without a request.
 * @throws CommandError if none or several match
 */
export const findExportId = (api: Pick<Api, 'datasetExports'>, dataset: string, name: string): Promise<string> =>
  findId(name, {
    noun: 'export',
    hint: `List exports: npx pilothouse datasets exports ${dataset}`,
    emptyHint: `Create one: npx pilothouse datasets export ${dataset} --format <format>`,
    readPage: async () => ({ items: await api.datasetExports(dataset), nextCursor: null }),
    maxListed: MAX_LISTED_EXPORTS,
    describe: ({ options, status }) => `${options.format}, ${status}`,
  });

/**
 * Finds the id of an export of any dataset by an id prefix, or `last`. A full id is returned without a request.
 * @throws CommandError if none or several match
 */
export const findExportIdOfProject = (api: Pick<Api, 'jobs'>, name: string): Promise<string> =>
  findId(name, {
    noun: 'export',
    hint: 'List exports: npx pilothouse datasets exports <dataset>',
    emptyHint: 'Create one: npx pilothouse datasets export <dataset> --format <format>',
    // The API lists exports per dataset, so the ids come from the parameters of export jobs.
    readPage: async (page, prefix) => {
      // The newest export is of use only when it is complete.
      const status = prefix === undefined && { status: ['completed' as const] };
      const { items, nextCursor } = await api.jobs({ ...page, kind: ['export'], ...status });
      const exports = items.flatMap(({ params }) => exportJobParamsSchema.safeParse(params).data ?? []);
      return { items: exports.map((item) => ({ id: item.export })), nextCursor };
    },
  });
