import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import { createExportSchema, type CreateExport } from '@pilothouse/contract/learning/dataset-export.schema';
import { createDatasetSchema } from '@pilothouse/contract/learning/dataset.schema';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { createExportDestination, createObjectStorage } from '@pilothouse/infra-blob';
import {
  createPool,
  DatasetStore,
  JobLeases,
  RetentionStore,
  saveTraceScore,
  type ClaimedJob,
  type Pool,
} from '@pilothouse/infra-db';
import { anElement } from '@pilothouse/testing/agent-builders';
import {
  startCloudStorageServer,
  type CloudStorageServer,
} from '@pilothouse/testing/cloud-storage/cloud-storage-server';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { turnRecord } from '@pilothouse/testing/turn-record-builder';
import sharp from 'sharp';
import type { JobContext, JobHandler } from '../runner/job-handler.ts';
import type { JobDependencies } from '../job-dependencies.ts';
import { createBuildDatasetHandler } from './build-dataset.handler.ts';
import { createExportHandler } from './export-dataset.handler.ts';
import { findObject, readLines } from './dataset-objects.ts';

let database: TestDatabase;
let pool: Pool;
let dir: string;
let objects: BlobStore;
let project: string;
let fleet: string;
let store: DatasetStore;
let cloud: CloudStorageServer;

beforeAll(async () => {
  database = await createDatabase();
  pool = createPool({ databaseUrl: database.url, name: 'spec', log: memoryLog() });
  dir = await mkdtemp(join(tmpdir(), 'datasets-spec-'));
  const storage = {
    store: { kind: 'folder' as const, dir },
    apiBaseUrl: 'http://127.0.0.1',
    signingSecret: Buffer.alloc(32),
  };
  objects = (await createObjectStorage(storage, systemClock)).store;
  store = new DatasetStore(pool);
  cloud = await startCloudStorageServer();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const credentials = {
    ...{ type: 'service_account', client_email: 'exports@harbour.example', token_uri: `${cloud.url}/token` },
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  await writeFile(join(dir, 'key.json'), JSON.stringify(credentials));
});

beforeEach(async () => {
  await pool.query('DELETE FROM run');
  await pool.query('DELETE FROM project');
  [project, fleet] = [randomUUID(), randomUUID()];
  await pool.query('INSERT INTO project (id, slug, name) VALUES ($1, $2, $2)', [project, `p-${project.slice(0, 8)}`]);
  await pool.query(
    `INSERT INTO fleet (id, name, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds, projects)
     VALUES ($1, $2, 'browser', 2, 0, 3, 1, 60, '{}')`,
    [fleet, `f-${fleet.slice(0, 8)}`],
  );
});

afterAll(async () => {
  await cloud.close();
  await pool.end();
  await database.drop();
  await rm(dir, { recursive: true });
});

/** A bucket of Cloud Storage. */
const vertexBucket = () =>
  createExportDestination(
    { kind: 'gcs', bucket: cloud.bucket, folder: 'exports', endpoint: cloud.url },
    { accessKey: '', secretKey: '', keyFile: join(dir, 'key.json') },
  );

/** A page with a block whose place and color depend on a number. */
const screenshotOf = (number: number) =>
  sharp({ create: { width: 1000, height: 800, channels: 3, background: '#fff' } })
    .composite([
      {
        input: { create: { width: 300, height: 300, channels: 3, background: number % 2 ? '#000' : '#36c' } },
        left: (number * 97) % 700,
        top: (number * 61) % 500,
      },
    ])
    .jpeg()
    .toBuffer();

interface NewStep {
  readonly record?: Partial<TurnRecord>;
  readonly quality?: 'good' | 'bad' | 'unknown';
  readonly isCorrected?: boolean;
  readonly screenshot?: number | 'gone' | null;
}

async function addArtifact(run: string, key: string, data: Buffer | null): Promise<string> {
  const id = randomUUID();
  await pool.query(
    `INSERT INTO artifact (id, run_id, epoch, step, kind, name, content_type, size, key, stored_at)
     VALUES ($1, $2, 1, 0, 'turn', $3, 'application/json', $4, $5, now())`,
    [id, run, key, data?.length ?? 0, `runs/${run}/${key}`],
  );
  if (data) await objects.put(`runs/${run}/${key}`, data, { contentType: 'application/json', maxBytes: 10_000_000 });
  return id;
}

/** Adds a scored trace. @returns its run */
async function addTrace(
  workflow: string,
  steps: readonly NewStep[],
  createdAt = new Date('2026-01-01T00:00:00Z'),
): Promise<string> {
  const run = randomUUID();
  await pool.query(
    `INSERT INTO run (id, project_id, fleet_id, workflow_name, surface, definition, step_count, inputs, budget, capture, labels, status, created_at, finished_at)
     VALUES ($1, $2, $3, $4, 'browser', '{}', 1, '{}', '{}', '{}', '{}', 'completed', $5, $5)`,
    [run, project, fleet, workflow, createdAt],
  );
  await pool.query(
    `INSERT INTO trace (run_id, project_id, workflow_name, surface, status, created_at) VALUES ($1, $2, $3, 'browser', 'completed', $4)`,
    [run, project, workflow, createdAt],
  );
  const scored = [];
  for (const [
    index,
    { record, quality = 'good', isCorrected = false, screenshot: variant = index },
  ] of steps.entries()) {
    const ordinal = index + 1;
    const data = typeof variant === 'number' ? await screenshotOf(variant) : null;
    const screenshot = variant === null ? null : await addArtifact(run, `turn-0-${ordinal}.jpg`, data);
    const turn = turnRecord({ run, turn: ordinal, order: ordinal, ...record });
    const stored = await addArtifact(run, `turn-0-${ordinal}.json`, Buffer.from(JSON.stringify(turn)));
    scored.push({
      ...{ label: randomUUID(), ordinal, step: 0, turn: ordinal, branch: null, record: stored, screenshot },
      ...{ thought: turn.thought, actions: [], quality, reason: 'Checked', source: 'rule' as const, isDoubtful: false },
      note: null,
      correctedThought: isCorrected ? 'Scroll first.' : null,
      correctedActions: isCorrected
        ? [{ kind: 'act' as const, action: { action: 'scroll' as const, by: { y: 500 } } }]
        : null,
    });
  }
  await saveTraceScore(pool, {
    run,
    goal: 'Order',
    model: 'gemini/flash',
    sites: ['shop.test'],
    note: null,
    version: '1.1',
    steps: scored,
  });
  return run;
}

/** Executes the queued job of a kind once, as the job runner does. */
async function execute(
  kind: ClaimedJob['kind'],
  options: { readonly stopAfter?: number; readonly deps?: Partial<JobDependencies> } = {},
): Promise<Json> {
  const leases = new JobLeases(pool);
  const claimed = await leases.claim({ kinds: [kind], owner: 'spec', leaseMs: 60_000 });
  if (!claimed) throw new Error('No job is queued');
  const controller = new AbortController();
  let reports = 0;
  const job = {
    ...claimed,
    ...{ signal: controller.signal, log: memoryLog(), clock: systemClock },
    progress: async (done: number, total: number | null, unit: string) => {
      await leases.progress(claimed, { done, total, unit });
      reports += 1;
      if (reports === options.stopAfter) controller.abort(new Error('stopped'));
    },
    saveCheckpoint: (value: Json) => leases.saveCheckpoint(claimed, value),
    throwIfStopping: () => controller.signal.throwIfAborted(),
  } as unknown as JobContext;
  const destinations = new Map([['vertex', vertexBucket()]]);
  const deps = { pool, objects, endpoints: {}, destinations, ...options.deps };
  const handler = (kind === 'export' ? createExportHandler(deps) : createBuildDatasetHandler(deps, 10)) as JobHandler;
  try {
    const result = await handler.run(handler.params.parse(claimed.params), job);
    await leases.complete(claimed, result);
    return result;
  } catch (error) {
    await leases.handBack(claimed);
    throw error;
  }
}

async function createDataset(name = 'orders', query: object = {}): Promise<string> {
  const id = randomUUID();
  const dataset = createDatasetSchema.parse({ name, query, shares: { train: 1, validation: 0, test: 0 } });
  await store.create({ ...dataset, id, job: randomUUID(), project, createdBy: null }, false);
  return id;
}

async function buildDataset(name?: string, query?: object): Promise<string> {
  const id = await createDataset(name, query);
  await execute('build_dataset');
  return id;
}

async function exportDataset(dataset: string, fields: Partial<CreateExport>): Promise<string> {
  const id = randomUUID();
  const options = createExportSchema.parse(fields);
  await store.createExport({ id, job: randomUUID(), project, dataset, options, createdBy: null });
  await execute('export');
  return id;
}

async function linesOf(key: string): Promise<Json[]> {
  const lines: Json[] = [];
  for await (const line of readLines(objects, key)) lines.push(JSON.parse(line) as Json);
  return lines;
}

/** Lines of the files of a dataset with its omitted steps, as ordinal and reason. */
async function omissionsOf(dataset: string): Promise<Json[]> {
  const lines: Json[] = [];
  for (const key of await keysOf(`datasets/${dataset}/omissions-`)) lines.push(...(await linesOf(key)));
  return lines;
}

async function keysOf(prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of objects.list(prefix)) keys.push(key);
  return keys;
}

const lose = () => Promise.reject(new Error('Lost'));
const aPoolWithoutTransactions = () => ({ query: pool.query.bind(pool), connect: lose }) as unknown as Pool;

const amountPage = (value: string): Partial<TurnRecord> => ({
  observation: { ...turnRecord().observation, elements: [{ ...anElement(3), value }] },
});

describe('a dataset', () => {
  test('contains labeled steps without duplicates, and names what was left out', async () => {
    const run = await addTrace('order', [
      { screenshot: 1 },
      { screenshot: 1 },
      { screenshot: 1, record: amountPage('98,75') },
      { quality: 'unknown' },
      { quality: 'bad', isCorrected: true, screenshot: 5 },
      { screenshot: 'gone', record: amountPage('1') },
      { screenshot: null, record: amountPage('2') },
    ]);
    const id = await buildDataset();
    const dataset = (await store.read(project, id))!;
    expect(dataset).toMatchObject({ status: 'ready', exampleCount: 4, isStale: false, version: 1, error: null });
    expect(dataset.card).toMatchObject({
      counts: { examples: 4, traces: 1, images: 2, duplicates: 1, corrections: 1, groups: 1 },
      omissions: [{ reason: 'The screenshot is missing', count: 1, steps: [`${run}/6`] }],
    });
    expect(await omissionsOf(id)).toEqual([
      { run, ordinal: 2, reason: 'The step is a duplicate of an earlier one' },
      { run, ordinal: 6, reason: 'The screenshot is missing' },
    ]);
    const examples = (await linesOf(`datasets/${id}/examples-00001.jsonl`)) as unknown as DatasetExample[];
    expect(examples.map(({ ordinal, split, image }) => [ordinal, split, image !== null])).toEqual([
      [1, 'train', true],
      [3, 'train', true],
      [5, 'train', true],
      [7, 'train', false],
    ]);
    const { sha256 } = examples[0]!.image!;
    expect(await objects.stat(`datasets/${id}/images/${sha256.slice(0, 1)}/${sha256}.jpg`)).not.toBeNull();
    expect((await findObject(objects, `datasets/${id}/card.md`, 100_000))!.toString()).toContain('# orders, version 1');
  });

  test('has the same bytes when it is built again, also after a restart in the middle', async () => {
    for (let trace = 0; trace < 3; trace += 1)
      await addTrace(
        `order-${trace}`,
        Array.from({ length: 12 }, (_, index) => ({ screenshot: null, record: amountPage(`${trace} ${index}`) })),
        new Date(Date.UTC(2026, 0, 1 + trace)),
      );
    const first = await buildDataset();
    const second = await createDataset();
    await expect(execute('build_dataset', { stopAfter: 1 })).rejects.toThrow('stopped');
    expect((await store.read(project, second))!.status).toBe('building');
    await execute('build_dataset');
    const [firstCard, secondCard] = [
      (await store.read(project, first))!.card!,
      (await store.read(project, second))!.card!,
    ];
    expect(firstCard.files.map(({ examples }) => examples)).toEqual([12, 12, 12]);
    expect({ ...secondCard, version: 1 }).toEqual(firstCard);
  });

  test('has no secret in its texts, and none in its images', async () => {
    const secretField = { ...anElement(3), name: 'Password', value: 'canary-value', secret: true as const };
    const area = { x: 0, y: 0, width: 700, height: 700 };
    await addTrace('order', [
      {
        record: {
          goal: 'Write to robin@canary.test',
          thought: 'Use sk-live-canary0000canary0000',
          observation: { ...turnRecord().observation, elements: [{ ...secretField, bounds: area }] },
        },
        screenshot: 2,
      },
    ]);
    const id = await buildDataset();
    const [example] = (await linesOf(`datasets/${id}/examples-00001.jsonl`)) as unknown as DatasetExample[];
    expect(JSON.stringify(example)).not.toContain('canary');
    const { sha256 } = example!.image!;
    const data = await findObject(objects, `datasets/${id}/images/${sha256.slice(0, 1)}/${sha256}.jpg`, 10_000_000);
    const covered = await sharp(data!).extract({ left: 0, top: 0, width: 700, height: 700 }).png().toBuffer();
    const { channels } = await sharp(covered).stats();
    expect(Math.max(...channels.map(({ max }) => max))).toBeLessThan(30);
  });

  test.each([
    ['a query that selects nothing', {}, /^The query selects no steps\. /],
    [
      'steps that cannot be used',
      { screenshot: 'gone' as const },
      /^The query selects 1 steps, but the dataset omits all of them: The screenshot is missing \(1: [0-9a-f-]{36}\/1\)\.$/,
    ],
  ])('fails for %s', async (_, step, error) => {
    if ('screenshot' in step) await addTrace('order', [step]);
    const id = await createDataset();
    await expect(execute('build_dataset')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await store.read(project, id)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(error) as string,
    });
  });

  test('is stale after a run of it was deleted, and its next version does not contain the run', async () => {
    const deleted = await addTrace('order', [{ screenshot: null }]);
    await addTrace('pay', [{ screenshot: null }]);
    const first = await buildDataset();
    const otherDataset = await buildDataset('payments', { workflows: ['pay'] });
    await pool.query('DELETE FROM artifact WHERE run_id = $1', [deleted]);
    expect(await new RetentionStore(pool).removeRuns([deleted], new Date())).toBe(1);
    expect((await store.read(project, first))!.isStale).toBe(true);
    expect((await store.read(project, otherDataset))!.isStale).toBe(false);
    const next = (await store.read(project, await buildDataset()))!;
    expect(next).toMatchObject({ version: 2, exampleCount: 1, isStale: false });
    expect(next.card!.workflows).toEqual({ pay: 1 });
  });
});

describe('an export', () => {
  test('writes lines, copies images, and reports what it cannot carry', async () => {
    await addTrace('order', [
      { screenshot: 1 },
      { screenshot: 2, record: amountPage('1') },
      { quality: 'bad', screenshot: 3, record: amountPage('2') },
    ]);
    const dataset = await buildDataset();
    const id = await exportDataset(dataset, { format: 'llamafactory' });
    const exported = (await store.readExport(project, dataset, id))!;
    expect(exported).toMatchObject({
      status: 'ready',
      report: {
        lines: 2,
        examples: 3,
        images: 2,
        rejected: [
          {
            reason: 'The step is bad and has no correction',
            count: 1,
            steps: [expect.stringMatching(/\/3$/) as string],
          },
        ],
      },
    });
    expect(exported.files.map(({ name, lines }) => [name, lines])).toEqual([
      ['train.jsonl', 2],
      ['dataset_info.json', null],
      ['card.json', null],
      ['report.json', null],
      ['rejected.jsonl', 1],
    ]);
    const folder = `datasets/${dataset}/exports/${id}`;
    const lines = (await linesOf(`${folder}/train.jsonl`)) as { images: string[] }[];
    for (const { images } of lines) expect(await objects.stat(`${folder}/${images[0]}`)).not.toBeNull();
    expect(await keysOf(`${folder}/parts/`)).toEqual([]);
  });

  /** Lines that an export could not write. */
  const rejectedLinesOf = (dataset: string, id: string) => linesOf(`datasets/${dataset}/exports/${id}/rejected.jsonl`);

  test.each(['together', 'trl'] as const)(
    'names a screenshot that is missing in the dataset, for %s',
    async (format) => {
      const run = await addTrace('order', [{ screenshot: 1 }, { screenshot: 2, record: amountPage('1') }]);
      const dataset = await buildDataset();
      const [line] = (await linesOf(`datasets/${dataset}/examples-00001.jsonl`)) as unknown as DatasetExample[];
      const { sha256 } = line!.image!;
      await objects.delete([`datasets/${dataset}/images/${sha256.slice(0, 1)}/${sha256}.jpg`]);
      const id = await exportDataset(dataset, { format });
      const reason = 'The screenshot is missing';
      expect((await store.readExport(project, dataset, id))!.report).toMatchObject({
        lines: 1,
        rejected: [{ reason, count: 1, steps: [`${run}/1`] }],
      });
      expect(await rejectedLinesOf(dataset, id)).toEqual([{ run, ordinal: 1, reason }]);
    },
  );

  test('names each step of each trace that its format does not support, and the omissions of the dataset', async () => {
    const good = { quality: 'good' as const, screenshot: null };
    const bad = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        ...{ quality: 'bad' as const, screenshot: null, record: amountPage(String(index)) },
      }));
    const first = await addTrace('order', [good, ...bad(25)]);
    const second = await addTrace(
      'pay',
      [{ ...bad(1)[0], record: amountPage('pay') }],
      new Date('2026-01-02T00:00:00Z'),
    );
    const third = await addTrace('send', [{ screenshot: 'gone' }], new Date('2026-01-03T00:00:00Z'));
    const dataset = await buildDataset();
    const id = await exportDataset(dataset, { format: 'raw' });
    const trl = await exportDataset(dataset, { format: 'trl' });
    expect((await store.readExport(project, dataset, id))!.files.map(({ name }) => name)).not.toContain(
      'rejected.jsonl',
    );
    const { report, files } = (await store.readExport(project, dataset, trl))!;
    const reason = 'The step is bad and has no correction';
    expect(report).toMatchObject({ lines: 1, examples: 27, rejected: [{ reason, count: 26 }] });
    expect(report!.rejected[0]!.steps).toHaveLength(20);
    const rejected = await rejectedLinesOf(dataset, trl);
    expect(rejected).toEqual([
      ...Array.from({ length: 25 }, (_, index) => ({ run: first, ordinal: index + 2, reason })),
      { run: second, ordinal: 1, reason },
    ]);
    expect(await linesOf(`datasets/${dataset}/exports/${trl}/omissions.jsonl`)).toEqual([
      { run: third, ordinal: 1, reason: 'The screenshot is missing' },
    ]);
    expect(files.slice(-2).map(({ name, lines }) => [name, lines])).toEqual([
      ['rejected.jsonl', 26],
      ['omissions.jsonl', 1],
    ]);
  });

  test('continues after a restart, with the same bytes', async () => {
    for (let trace = 0; trace < 3; trace += 1)
      await addTrace(
        `order-${trace}`,
        Array.from({ length: 12 }, (_, index) => ({ screenshot: null, record: amountPage(`${trace} ${index}`) })),
        new Date(Date.UTC(2026, 0, 1 + trace)),
      );
    const dataset = await buildDataset();
    const first = await exportDataset(dataset, { format: 'trl' });
    const second = randomUUID();
    const options = createExportSchema.parse({ format: 'trl' });
    await store.createExport({ id: second, job: randomUUID(), project, dataset, options, createdBy: null });
    await expect(execute('export', { stopAfter: 2 })).rejects.toThrow();
    await execute('export');
    const [firstExport, secondExport] = await Promise.all(
      [first, second].map((id) => store.readExport(project, dataset, id)),
    );
    expect(secondExport!.report).toEqual(firstExport!.report);
    expect(await omissionsOf(dataset)).toEqual([]);
    expect(secondExport!.files).toEqual(firstExport!.files);
    expect(firstExport!.report!.lines).toBe(36);
  });

  test('is completed by another attempt when its job runner is lost after its parts are removed', async () => {
    await addTrace('order', [{ screenshot: 1 }]);
    const dataset = await buildDataset();
    const id = randomUUID();
    const options = createExportSchema.parse({ format: 'trl' });
    await store.createExport({ id, job: randomUUID(), project, dataset, options, createdBy: null });
    await expect(execute('export', { deps: { pool: aPoolWithoutTransactions() } })).rejects.toThrow('Lost');
    expect(await store.readExport(project, dataset, id)).toMatchObject({ status: 'running' });
    expect(await execute('export')).toEqual({ lines: 1, images: 1 });
    expect(await store.readExport(project, dataset, id)).toMatchObject({ status: 'ready', report: { lines: 1 } });
    expect(await keysOf(`datasets/${dataset}/exports/${id}/parts/`)).toEqual([]);
  });

  test('fails with a report if the format can carry no step', async () => {
    const run = await addTrace('order', [{ screenshot: null }]);
    const dataset = await buildDataset();
    await expect(exportDataset(dataset, { format: 'trl', dialect: 'ui-tars' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    expect((await store.exports(project, dataset))[0]).toMatchObject({
      status: 'failed',
      error: 'trl can carry no step of the dataset: ui-tars needs a screenshot, and the step has none (1).',
      report: {
        lines: 0,
        rejected: [{ reason: 'ui-tars needs a screenshot, and the step has none', steps: [`${run}/1`] }],
      },
    });
  });
});

describe('an export with a destination', () => {
  test('is copied to the bucket, and its lines refer to the images there', async () => {
    await addTrace('order', [{ screenshot: 1 }, { screenshot: 2 }, { screenshot: 1, record: amountPage('7') }]);
    const dataset = await buildDataset();
    cloud.isForbidden = true;
    await expect(exportDataset(dataset, { format: 'gemini', destination: 'vertex' })).rejects.toThrow(
      'has no permission to write to the bucket',
    );
    cloud.isForbidden = false;
    // Continues with the written files.
    await execute('export');
    const [exported] = await store.exports(project, dataset);
    if (!exported) throw new Error('no export');
    const folder = `exports/${dataset}/${exported.id}`;
    expect(exported).toMatchObject({ status: 'ready', options: { destination: 'vertex' }, report: { lines: 3 } });
    for (const { name, uri, sha256 } of exported.files) {
      expect(uri).toBe(`gs://harbour/${folder}/${name}`);
      const content = cloud.objects.get(`harbour/${folder}/${name}`)?.content ?? '';
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
    }
    const lines = cloud.objects.get(`harbour/${folder}/train.jsonl`)?.content.toString() ?? '';
    const images = new Set(Array.from(lines.matchAll(/"fileUri":"gs:\/\/([^"]+)"/g), ([, path]) => path ?? ''));
    expect(images.size).toBe(2);
    for (const path of images) expect(cloud.objects.get(path)?.contentType).toBe('image/jpeg');
    expect(await keysOf(`datasets/${dataset}/exports/${exported.id}/parts/`)).toEqual([]);
  });

  test('that the job runner does not know fails with the names of the others', async () => {
    await addTrace('order', [{}]);
    const dataset = await buildDataset();
    await expect(exportDataset(dataset, { format: 'raw', destination: 'other' })).rejects.toThrow(
      'The job runner has no destination other. Configured: vertex.',
    );
  });
});
