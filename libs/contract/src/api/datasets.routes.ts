import { z } from 'zod';
import { createExportSchema, exportDownloadSchema, exportViewSchema } from '../learning/dataset-export.schema.ts';
import { createDatasetSchema, datasetDetailSchema, datasetViewSchema } from '../learning/dataset.schema.ts';
import { jobRoles } from '../job/job-rules.ts';
import { idSchema, slugSchema } from '../primitives.schema.ts';
import { pageOf, pageQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Datasets';
const params = z.object({ dataset: idSchema.describe('Id of the dataset') });
const exportParams = params.extend({ export: idSchema.describe('Id of the export') });

/** Query of `GET /v1/datasets`. */
export const listDatasetsQuery = z.object({
  ...pageQuery,
  name: slugSchema.optional().describe('Only versions of this dataset'),
});

const dataset = { 200: { description: 'The dataset', schema: datasetDetailSchema } } as const;
const building = { 202: { description: 'The dataset, which a job builds', schema: datasetViewSchema } } as const;

export const datasetRoutes = {
  listDatasets: defineRoute({
    method: 'GET',
    path: '/v1/datasets',
    tag,
    summary: 'List datasets, newest first',
    role: 'viewer',
    query: listDatasetsQuery,
    responses: { 200: { description: 'Datasets', schema: pageOf(datasetViewSchema, 'DatasetPage') } },
  }),
  createDataset: defineRoute({
    method: 'POST',
    path: '/v1/datasets',
    tag,
    summary: 'Create a dataset from labeled steps',
    description:
      'A job redacts the steps of the query, drops duplicates, and splits them by workflow and site. The same steps with the same seed give the same bytes. A query without steps fails the job.',
    role: jobRoles.build_dataset,
    body: createDatasetSchema,
    audit: { body: ['name', 'consent', 'license'], answer: ['id'] },
    responses: building,
    errors: ['CONFLICT'],
  }),
  readDataset: defineRoute({
    method: 'GET',
    path: '/v1/datasets/{dataset}',
    tag,
    summary: 'Read a dataset with its card',
    role: 'viewer',
    params,
    responses: dataset,
    errors: ['NOT_FOUND'],
  }),
  createDatasetVersion: defineRoute({
    method: 'POST',
    path: '/v1/datasets/{dataset}/versions',
    tag,
    summary: 'Build the next version of a dataset',
    description: 'Uses the query and the seed of this version. Runs that were deleted since are not part of it.',
    role: jobRoles.build_dataset,
    params,
    audit: { answer: ['id', 'version'] },
    responses: building,
    errors: ['NOT_FOUND'],
  }),
  deleteDataset: defineRoute({
    method: 'DELETE',
    path: '/v1/datasets/{dataset}',
    tag,
    summary: 'Delete a dataset with its exports',
    role: 'admin',
    params,
    responses: dataset,
    errors: ['NOT_FOUND', 'CONFLICT'],
    seconds: 600,
  }),
  listDatasetExports: defineRoute({
    method: 'GET',
    path: '/v1/datasets/{dataset}/exports',
    tag,
    summary: 'List the exports of a dataset, newest first',
    role: 'viewer',
    params,
    responses: { 200: { description: 'At most 100 exports', schema: z.object({ items: z.array(exportViewSchema) }) } },
    errors: ['NOT_FOUND'],
  }),
  createDatasetExport: defineRoute({
    method: 'POST',
    path: '/v1/datasets/{dataset}/exports',
    tag,
    summary: 'Export a dataset in the format of a trainer',
    description: 'A job writes the files. Steps that the format cannot carry are listed in the report with the reason.',
    role: jobRoles.export,
    params,
    body: createExportSchema,
    audit: { body: ['format', 'objective', 'dialect'], answer: ['id'] },
    responses: { 202: { description: 'The export, which a job writes', schema: exportViewSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  readDatasetExport: defineRoute({
    method: 'GET',
    path: '/v1/datasets/{dataset}/exports/{export}',
    tag,
    summary: 'Read an export with its report',
    role: 'viewer',
    params: exportParams,
    responses: { 200: { description: 'The export', schema: exportViewSchema } },
    errors: ['NOT_FOUND'],
  }),
  downloadDatasetExport: defineRoute({
    method: 'GET',
    path: '/v1/datasets/{dataset}/exports/{export}/files',
    tag,
    summary: 'List signed URLs of the files of an export',
    description: 'The first page lists the other files before the screenshots. The URLs are valid for an hour.',
    role: 'admin',
    params: exportParams,
    query: z.object(pageQuery),
    responses: { 200: { description: 'Files', schema: pageOf(exportDownloadSchema, 'ExportDownloadPage') } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    seconds: 120,
  }),
} as const;
