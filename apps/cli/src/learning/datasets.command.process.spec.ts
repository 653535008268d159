import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportView } from '@pilothouse/contract/learning/dataset-export.schema';
import type { DatasetDetail, DatasetView } from '@pilothouse/contract/learning/dataset.schema';
import { TestServer } from '@pilothouse/testing/test-server';
import { ApiFixture } from '../testing/api.fixture.ts';
import { runCli } from '../testing/cli.fixture.ts';
import { id } from '../testing/views.fixture.ts';
import { datasetsCommand } from './datasets.command.ts';

const api = new ApiFixture();
beforeAll(() => api.start());
afterAll(() => api.stop());
beforeEach(() => (api.requests.length = 0));

const timestamp = '2026-05-04T12:00:00.000Z';
const hash = 'a'.repeat(64);
const query = { qualities: ['good', 'bad'] as ('good' | 'bad')[] };
const shares = { train: 0.8, validation: 0.1, test: 0.1 };

const aDataset = (facts: Partial<DatasetView> = {}): DatasetView => ({
  ...{ id: id(1), name: 'orders', version: 1, status: 'ready', isStale: false, query, shares, seed: 1 },
  ...{ license: 'proprietary', consent: 'Runs of the project only.', exampleCount: 1200, job: null, error: null },
  ...{ createdBy: null, createdAt: timestamp, finishedAt: timestamp },
  ...facts,
});

const anExport = (facts: Partial<ExportView> = {}): ExportView => ({
  ...{ id: id(2), dataset: id(1), status: 'ready', job: null, error: null, files: [] },
  options: { format: 'together', objective: 'sft', dialect: 'aura', splits: ['train'], includeImages: true },
  report: {
    ...{ lines: 1100, examples: 1200, images: 1100 },
    rejected: [{ reason: 'The step is bad and has no correction', count: 100, steps: [`${id(3)}/1`] }],
  },
  ...{ createdBy: null, createdAt: timestamp, finishedAt: timestamp },
  ...facts,
});

const run = (...args: string[]) =>
  runCli(datasetsCommand, args, { url: api.url, now: new Date('2026-05-04T12:10:00Z') });

test('the list has the datasets of all pages', async () => {
  api.handlers.listDatasets = ({ query: { cursor } }) =>
    cursor === undefined
      ? { items: [aDataset({ version: 2, isStale: true })], nextCursor: 'next' }
      : { items: [aDataset({ id: id(4), status: 'building', exampleCount: 0 })], nextCursor: null };
  const { out } = await run('list', '--name', 'orders');
  expect(out).toMatch(/orders +2 +ready, stale +1200 +10 min ago/);
  expect(out).toMatch(/orders +1 +building +0 +10 min ago/);
  expect(api.of('listDatasets').map(({ query: { name, cursor } }) => [name, cursor])).toEqual([
    ['orders', undefined],
    ['orders', 'next'],
  ]);
  const { items } = JSON.parse((await run('list', '--json')).out) as { items: DatasetView[] };
  expect(items).toHaveLength(2);
});

test('an empty list says how to create a dataset', async () => {
  api.handlers.listDatasets = () => ({ items: [], nextCursor: null });
  expect((await run('list')).err).toContain('npx pilothouse datasets create <name>');
});

test('a dataset is created with its query', async () => {
  api.handlers.createDataset = () => aDataset({ status: 'building', exampleCount: 0 });
  const { out } = await run(
    ...['create', 'orders', '--workflow', 'order-supplies', 'pay', '--site', 'shop.test', '--quality', 'good'],
    ...['--seed', '7', '--license', 'CC-BY-4.0'],
  );
  expect(api.of('createDataset')[0]?.body).toMatchObject({
    ...{ name: 'orders', seed: 7, license: 'CC-BY-4.0' },
    query: { workflows: ['order-supplies', 'pay'], sites: ['shop.test'], qualities: ['good'] },
  });
  expect(out).toContain('orders version 1: building, 0 steps');
});

test('a dataset is created with its shares', async () => {
  api.handlers.createDataset = () => aDataset();
  const { out } = await run('create', 'ropes', '--shares', '1,0,0');
  expect(api.of('createDataset')[0]?.body).toMatchObject({ shares: { train: 1, validation: 0, test: 0 } });
  expect(out).toContain('orders version 1: ready, 1200 steps');
});

test.each(['0.5,0.2,0.2', '1', '1,,0', 'all'])('shares of %s are refused before the request', async (text) => {
  const { code, err } = await run('create', 'ropes', '--shares', text);
  expect([code, api.requests.length]).toEqual([2, 0]);
  expect(err).toContain('/shares');
});

test.each([
  [['create', 'My Orders'], '/name: Use 1 to 63'],
  [['create', 'orders', '--seed', 'x'], '/seed: '],
  [['create', 'orders', '--quality', 'perfect'], '/query/qualities/0: '],
  [['export', id(1), '--format', 'together', '--image-base', 'gs://bucket'], '/imageBase: '],
])('%j is refused before the request', async (args, message) => {
  const { code, err } = await run(...args);
  expect([code, api.requests.length]).toEqual([2, 0]);
  expect(err).toContain(message);
});

test('the card names what was left out', async () => {
  const card: DatasetDetail['card'] = {
    ...{ name: 'orders', version: 1, query, shares, seed: 1, license: 'proprietary', consent: 'Own runs' },
    ...{ builder: 'pilothouse-dataset/1', qualities: { good: 1200, bad: 0, unknown: 0 }, surfaces: { browser: 1200 } },
    ...{
      splits: { train: 1200, validation: 0, test: 0 },
      workflows: { pay: 1200 },
      models: {},
      files: [],
      sha256: hash,
    },
    counts: {
      ...{ examples: 1200, traces: 90, images: 1100, bytes: 1, groups: 2 },
      ...{ corrections: 3, duplicates: 4, redactions: 5 },
    },
    omissions: [{ reason: 'The screenshot is missing', count: 6, steps: [] }],
  };
  api.handlers.readDataset = () => ({ ...aDataset(), card });
  const { out } = await run('show', id(1));
  expect(out).toMatch(/splits +1200 train, 0 validation, 0 test/);
  expect(out).toMatch(/traces +90/);
  expect(out).toMatch(/left out +The screenshot is missing: 6/);
  expect(out).toContain(hash);
});

test('an export is started with its options, and the list shows its report', async () => {
  api.handlers.createDatasetExport = () => anExport({ status: 'running', report: null });
  const { out } = await run('export', id(1), '--format', 'together', '--objective', 'preference', '--no-images');
  expect(out).toContain('together sft in aura: running');
  expect(api.of('createDatasetExport')[0]?.body).toMatchObject({ objective: 'preference', includeImages: false });
  api.handlers.listDatasetExports = () => ({ items: [anExport(), anExport({ status: 'failed', error: 'No space' })] });
  const listed = await run('exports', id(1));
  expect(listed.out).toContain('ready, 1100 lines');
  expect(listed.out).toContain('left out: The step is bad and has no correction: 100 steps');
  expect(listed.err).toContain('No space');
});

describe('a short id', () => {
  const neighborId = 'ab12c3c2-2222-7c3d-8e4f-5a6b7c8d9e0f';
  beforeEach(() => {
    api.handlers.listDatasets = ({ query: { cursor } }) =>
      cursor === undefined
        ? { items: [aDataset({ id: neighborId, name: 'ropes' })], nextCursor: 'next' }
        : { items: [aDataset()], nextCursor: null };
    api.handlers.readDataset = ({ params }) => ({ ...aDataset({ id: params.dataset ?? '' }), card: null });
    api.handlers.listDatasetExports = () => ({ items: [anExport(), anExport({ id: neighborId })] });
  });

  test.each([
    ['0197f3c2', id(1)],
    ['AB12', neighborId],
    ['last', neighborId],
  ])('names a dataset of any page: %s', async (name, expected) => {
    const { code, out } = await run('show', name);
    expect(code).toBe(0);
    expect(out).toContain(expected);
  });

  test('names the dataset and the export of a download', async () => {
    api.handlers.downloadDatasetExport = () => ({ items: [], nextCursor: null });
    await run('download', '0197', 'ab12', '--to', 'orders');
    expect(api.of('downloadDatasetExport')).toMatchObject([{ params: { dataset: id(1), export: neighborId } }]);
  });

  test('names the dataset of an export, a list of exports, a version and a deletion', async () => {
    api.handlers.createDatasetExport = () => anExport();
    api.handlers.createDatasetVersion = () => aDataset();
    api.handlers.deleteDataset = () => ({ ...aDataset(), card: null });
    for (const args of [['export', '--format', 'together'], ['exports'], ['update'], ['delete']])
      expect(await run(...args, '0197')).toMatchObject({ code: 0 });
    const routes = ['createDatasetExport', 'listDatasetExports', 'createDatasetVersion', 'deleteDataset'] as const;
    for (const route of routes) expect(api.of(route)).toMatchObject([{ params: { dataset: id(1) } }]);
  });

  test.each(['last', ' LAST'])('%j is rejected for a deletion', async (name) => {
    const { code, err } = await run('delete', name);
    expect(code).toBe(2);
    expect(err).toContain('"last" cannot be deleted. Name the dataset by its id or an id prefix.');
    expect(api.of('deleteDataset')).toEqual([]);
  });

  test('of an export is rejected when the list of the API may be incomplete', async () => {
    api.handlers.listDatasetExports = () => ({ items: Array.from({ length: 100 }, () => anExport()) });
    const { code, err } = await run('download', id(1), 'ab12', '--to', 'orders');
    expect(code).toBe(2);
    expect(err).toContain('There are too many exports to find ab12. Use the full id.');
  });

  test('an ambiguous prefix is rejected with the matching datasets', async () => {
    api.handlers.listDatasets = () => ({ items: [aDataset(), aDataset({ id: id(2), version: 2 })], nextCursor: null });
    const { code, err } = await run('delete', '0197f3c2');
    expect(code).toBe(2);
    expect(err).toContain('2 datasets match 0197f3c2. Use more characters.');
    expect(err).toContain(`${id(2)}  orders version 2`);
    expect(api.of('deleteDataset')).toEqual([]);
  });
});

test('a hint is printed when the list of exports may be incomplete', async () => {
  api.handlers.listDatasetExports = () => ({ items: Array.from({ length: 100 }, () => anExport()) });
  expect((await run('exports', id(1))).err).toContain('Only the newest 100 exports are listed.');
});

test('the next version and a deletion name the version', async () => {
  api.handlers.createDatasetVersion = () => aDataset({ version: 2, status: 'building', exampleCount: 0 });
  api.handlers.deleteDataset = () => ({ ...aDataset(), card: null });
  expect((await run('update', id(1))).out).toContain('orders version 2: building');
  expect((await run('delete', id(1))).out).toContain('orders version 1 deleted');
});

describe('a download', () => {
  let files: TestServer;
  let folder: string;
  beforeAll(async () => {
    files = new TestServer(({ url }, response) =>
      response.writeHead(url === '/gone' ? 404 : 200).end(`content of ${url}`),
    );
    await files.start();
    folder = await mkdtemp(join(tmpdir(), 'datasets-command-'));
  });
  afterAll(async () => {
    await files.stop();
    await rm(folder, { recursive: true });
  });

  const file = (name: string, path = name) => {
    const url = `${files.origin}/${path}`;
    return { name, transfer: { url, method: 'GET' as const, headers: {}, expiresAt: timestamp } };
  };

  test('writes the files of all pages into folders', async () => {
    api.handlers.downloadDatasetExport = ({ query: { cursor } }) =>
      cursor === undefined
        ? { items: [file('train.jsonl')], nextCursor: 'train.jsonl' }
        : { items: [file('images/a/a.jpg')], nextCursor: null };
    const { out } = await run('download', id(1), id(2), '--to', folder);
    expect(out).toContain(`2 files in ${folder}`);
    expect(await readFile(join(folder, 'train.jsonl'), 'utf8')).toBe('content of /train.jsonl');
    expect(await readFile(join(folder, 'images/a/a.jpg'), 'utf8')).toBe('content of /images/a/a.jpg');
  });

  test.each([
    ['a file outside of the folder', '../escape.jsonl', 'escape', 'outside of the folder'],
    ['a file that is not sent', 'gone.jsonl', 'gone', 'was not sent: status 404'],
  ])('refuses %s', async (_, name, path, message) => {
    api.handlers.downloadDatasetExport = () => ({ items: [file(name, path)], nextCursor: null });
    const { code, err } = await run('download', id(1), id(2), '--to', folder);
    expect(code).not.toBe(0);
    expect(err).toContain(message);
  });
});
