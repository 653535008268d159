import { randomUUID } from 'node:crypto';
import type { CreateExport } from '@pilothouse/contract/learning/dataset-export.schema';
import type { JobKind } from '@pilothouse/contract/job/job.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { createPool, type Pool, type PoolClient } from '../client/pg-pool.ts';
import { DatasetBuildStore } from './dataset-build.store.ts';
import { DatasetStore } from './dataset.store.ts';
import { addJob, addProject } from '../job/job.fixture.ts';
import { findExportedFile } from './tuning-files.ts';

let database: TestDatabase;
let pool: Pool;
let store: DatasetStore;
let project: string;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  store = new DatasetStore(pool);
  project = await addProject(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const options: CreateExport = {
  ...{ format: 'trl', objective: 'sft', dialect: 'aura', splits: ['train'], includeImages: true },
};

/** Adds a dataset that is ready. @returns its id */
async function aDataset(): Promise<string> {
  const id = randomUUID();
  await pool.query(
    `INSERT INTO dataset (id, project_id, name, version, status, query, shares, seed, license, consent, card)
     VALUES ($1, $2, $3, 1, 'ready', '{}', '{}', 1, 'MIT', 'given', '{}')`,
    [id, project, `orders-${id.slice(0, 8)}`],
  );
  return id;
}

/** Adds an export that is ready. @returns its id */
async function anExport(dataset: string): Promise<string> {
  const id = randomUUID();
  await pool.query(
    `INSERT INTO dataset_export (id, dataset_id, status, options, files) VALUES ($1, $2, 'ready', '{}', '[{"name": "train.jsonl"}]')`,
    [id, dataset],
  );
  return id;
}

const startExport = (dataset: string) =>
  store.createExport({ id: randomUUID(), job: randomUUID(), project, dataset, options, createdBy: null });

const statusOf = async (id: string) => (await store.read(project, id))?.status;
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    ({ code }: { code: string }) => code,
  );

/** Starts work while another transaction has locked the dataset. Commits that transaction when the work waits for it. */
async function runWhileDatasetLocked(
  dataset: string,
  change: (client: PoolClient) => Promise<unknown>,
  work: () => Promise<unknown>,
): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM dataset WHERE id = $1 FOR UPDATE', [dataset]);
    await change(client);
    const result = codeOf(work());
    await until('the work waits for the lock', async () => {
      const { rowCount } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rowCount === 1;
    });
    await client.query('COMMIT');
    return await result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

test('a deletion waits for an export that starts, and is refused', async () => {
  const dataset = await aDataset();
  const start = (client: PoolClient) =>
    client.query(`INSERT INTO job (id, project_id, kind, params) VALUES ($1, $2, 'export', $3)`, [
      ...[randomUUID(), project, JSON.stringify({ dataset, export: randomUUID() })],
    ]);
  expect(await runWhileDatasetLocked(dataset, start, () => store.startDeletion(project, dataset))).toBe('CONFLICT');
  expect(await statusOf(dataset)).toBe('ready');
});

test.each<[string, string]>([
  [`UPDATE dataset SET status = 'deleting' WHERE id = $1`, 'CONFLICT'],
  ['DELETE FROM dataset WHERE id = $1', 'NOT_FOUND'],
])('an export waits for a deletion, and is refused after %s', async (sql, code) => {
  const dataset = await aDataset();
  const change = (client: PoolClient) => client.query(sql, [dataset]);
  expect(await runWhileDatasetLocked(dataset, change, () => startExport(dataset))).toBe(code);
  expect(await store.exports(project, dataset)).toEqual([]);
});

test('either a concurrent export or the deletion succeeds, not both', async () => {
  for (let round = 0; round < 20; round += 1) {
    const dataset = await aDataset();
    const codes = await Promise.all([codeOf(startExport(dataset)), codeOf(store.startDeletion(project, dataset))]);
    expect(codes.toSorted()).toEqual(['CONFLICT', 'done']);
    expect(await statusOf(dataset)).toBe(codes[0] === 'done' ? 'ready' : 'deleting');
  }
});

const jobsUsingDataset: readonly [JobKind, string, (dataset: string, exported: string) => Json][] = [
  ['build_dataset', 'of the dataset', (dataset) => ({ dataset })],
  ['export', 'of the dataset', (dataset) => ({ dataset: dataset.toUpperCase(), export: randomUUID() })],
  ['evaluate', 'with the dataset', (dataset) => ({ dataset, model: 'rope' })],
  ['tune', 'with examples of an export', (_, exported) => ({ training: { export: exported } })],
  [
    'tune',
    'with an export for validation',
    (_, exported) => ({ training: { uri: 'gs://harbour/train.jsonl' }, validation: { export: exported } }),
  ],
];

test.each(jobsUsingDataset)('an active %s job %s prevents a deletion until it ends', async (kind, _, paramsOf) => {
  const dataset = await aDataset();
  const id = await addJob(pool, project, { kind, params: paramsOf(dataset, await anExport(dataset)) });
  for (const status of ['queued', 'running']) {
    await pool.query('UPDATE job SET status = $2 WHERE id = $1', [id, status]);
    await expect(store.startDeletion(project, dataset)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: `The ${kind} job ${id} uses the dataset. Cancel the job or wait for its end, then delete the dataset again.`,
    });
  }
  await pool.query(`UPDATE job SET status = 'cancelled' WHERE id = $1`, [id]);
  await store.startDeletion(project, dataset);
  // The deletion of the objects failed.
  await store.startDeletion(project, dataset);
  expect(await statusOf(dataset)).toBe('deleting');
  await store.delete(project, dataset);
  expect(await store.read(project, dataset)).toBeNull();
});

test('jobs of another dataset do not prevent a deletion', async () => {
  const [dataset, otherDataset] = [await aDataset(), await aDataset()];
  const exported = await anExport(otherDataset);
  for (const [kind, , paramsOf] of jobsUsingDataset)
    await addJob(pool, project, { kind, params: paramsOf(otherDataset, exported) });
  await addJob(pool, await addProject(pool), { kind: 'evaluate', params: { dataset } });
  await store.startDeletion(project, dataset);
  expect(await codeOf(store.startDeletion(await addProject(pool), dataset))).toBe('NOT_FOUND');
});

test('a job that is retried does not find a dataset that is being deleted', async () => {
  const dataset = await aDataset();
  const exported = await anExport(dataset);
  const builds = new DatasetBuildStore(pool);
  const find = () =>
    Promise.all([
      builds.find(project, dataset),
      builds.findExport(project, exported),
      findExportedFile(pool, project, exported, 'train.jsonl'),
    ]);
  expect(await find()).toMatchObject([{ id: dataset }, { id: exported }, { dataset }]);
  await store.startDeletion(project, dataset);
  expect(await find()).toEqual([null, null, null]);
});

test('only a dataset whose deletion has started is removed', async () => {
  const dataset = await aDataset();
  await store.delete(project, dataset);
  expect(await statusOf(dataset)).toBe('ready');
});
