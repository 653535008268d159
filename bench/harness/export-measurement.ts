/**
 * Measures exports and deduplication on a synthetic dataset in a folder. It prints one line of JSON.
 * It calls the export handler of the job runner, because an export over HTTP would measure the queue and the stores too.
 * Usage: `export-measurement.ts FOLDER STEPS IMAGES FORMAT`; IMAGES is the number of distinct images, 0 for none.
 */
import { createHash, randomBytes } from 'node:crypto';
import { datasetExampleSchema, type DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import { createExportSchema } from '@pilothouse/contract/learning/dataset-export.schema';
import type { DatasetCard } from '@pilothouse/contract/learning/dataset.schema';
import { canonicalJson } from '@pilothouse/core/learning/dataset/canonical-json';
import { CardCounter, DATASET_BUILDER } from '@pilothouse/core/learning/dataset/dataset-card';
import { DuplicateIndex } from '@pilothouse/core/learning/dataset/deduplication';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { createObjectStorage } from '@pilothouse/infra-blob';
import { datasetFolder, mapInOrder, imagePath, writeFile } from '../../apps/jobs/src/datasets/dataset-objects.ts';
import { writeExport } from '../../apps/jobs/src/datasets/export-dataset.handler.ts';

const [folder = '', steps = 0, images = 0, format = 'llamafactory'] = process.argv
  .slice(2)
  .map((text, index) => (index === 1 || index === 2 ? Number(text) : text)) as [string, number, number, string];

/** Bytes of a screenshot, and examples of a file. */
const IMAGE_BYTES = 60_000;
const FILE_EXAMPLES = 1000;

const DATASET = '0198c0de-0000-7000-8000-00000000da7a';
const EXPORT = '0198c0de-0000-7000-8000-000000000e00';
const signal = new AbortController().signal;

const hashOf = (number: number) => createHash('sha256').update(String(number)).digest('hex');

function exampleOf(number: number): DatasetExample {
  const hashes = { sha256: hashOf(number % images), perceptualHash: hashOf(number).slice(0, 16) };
  const bounds = { x: 200, y: 100, width: 160, height: 40 };
  return {
    ...{
      run: `00000000-0000-4000-8000-${String(Math.floor(number / 20)).padStart(12, '0')}`,
      ordinal: (number % 20) + 1,
    },
    ...{ split: 'train', workflow: 'order-supplies', site: 'shop.test', at: '2026-11-01T12:00:00.000Z' },
    ...{ surface: 'browser', goal: 'Order three ropes', prompt: { name: 'act-text', version: 10 }, tier: 'text' },
    ...{ turnSource: 'model', model: 'gemini/flash', dialect: 'calls', thought: 'The button orders the ropes.' },
    input: { system: 'You operate a browser.', text: `Goal: Order three ropes\n${'[3] button "Order"\n'.repeat(60)}` },
    page: {
      url: 'https://shop.test/catalogue',
      title: 'Catalogue',
      viewport: { width: 1280, height: 800 },
      elements: Array.from({ length: 40 }, (_, index) => ({
        ...{ index, role: 'button', name: `Order ${index}`, state: {}, tags: [], bounds },
      })),
    },
    image: images > 0 ? { ...hashes, width: 1280, height: 800, bytes: IMAGE_BYTES } : null,
    actions: [{ kind: 'act', action: { action: 'click', target: { elementIndex: number % 40 } }, target: bounds }],
    ...{
      expects: null,
      outcome: 'Page: Order 1',
      quality: 'good',
      labelSource: 'rule',
      reason: 'Verified',
      correction: null,
    },
    textHash: hashOf(number),
  };
}

function* numbers(first: number, end: number): Generator<number> {
  for (let number = first; number < end; number += 1) yield number;
}

/** Writes the files of a dataset and its images. */
async function writeDataset(objects: BlobStore): Promise<DatasetCard> {
  const files: DatasetCard['files'] = [];
  const put = async (number: number) => {
    const key = `${datasetFolder(DATASET)}/${imagePath(hashOf(number))}`;
    await objects.put(key, randomBytes(IMAGE_BYTES), { contentType: 'image/jpeg', maxBytes: IMAGE_BYTES });
  };
  for await (const _ of mapInOrder(numbers(0, images), 16, put));
  for (let first = 0; first < steps; first += FILE_EXAMPLES) {
    const last = Math.min(steps, first + FILE_EXAMPLES);
    const name = `examples-${String(files.length + 1).padStart(5, '0')}.jsonl`;
    const lines = [...numbers(first, last)].map((number) => `${canonicalJson(exampleOf(number))}\n`);
    const options = { contentType: 'application/x-ndjson', signal };
    const file = await writeFile(objects, `${datasetFolder(DATASET)}/${name}`, lines, options);
    files.push({ name, ...file, examples: last - first });
  }
  const shares = { train: 1, validation: 0, test: 0 };
  const counts = CardCounter.create().counts();
  return {
    ...{ name: 'bench', version: 1, query: { qualities: ['good'] }, shares, seed: 1, license: 'none', consent: 'none' },
    ...{ builder: DATASET_BUILDER, ...counts, counts: { ...counts.counts, examples: steps }, files, sha256: hashOf(0) },
  };
}

/** Steps per second that the index of duplicates takes. */
function measureDuplicates(): { stepsPerSecond: number; indexBytes: number } {
  globalThis.gc?.();
  const initialHeapBytes = process.memoryUsage().heapUsed;
  const index = new DuplicateIndex();
  const count = Math.min(steps, 1_000_000);
  let seconds = 0;
  for (let first = 0; first < count; first += FILE_EXAMPLES) {
    const hashes = [...numbers(first, Math.min(count, first + FILE_EXAMPLES))].map((number) => ({
      ...{ textHash: hashOf(number), perceptualHash: hashOf(number).slice(0, 16) },
    }));
    const startedAt = performance.now();
    for (const hash of hashes) index.add(hash);
    seconds += (performance.now() - startedAt) / 1000;
  }
  globalThis.gc?.();
  return { stepsPerSecond: index.size / seconds, indexBytes: process.memoryUsage().heapUsed - initialHeapBytes };
}

datasetExampleSchema.parse(exampleOf(0));
const storage = { store: { kind: 'folder' as const, dir: folder }, apiBaseUrl: 'http://127.0.0.1' };
const { store } = await createObjectStorage({ ...storage, signingSecret: Buffer.alloc(32) }, systemClock);
const card = await writeDataset(store);
const options = createExportSchema.parse({ format, includeImages: images > 0 });
const startedAt = performance.now();
const { report } = await writeExport(
  store,
  { id: EXPORT, dataset: DATASET, options, card },
  { checkpoint: null, signal, progress: async () => undefined, saveCheckpoint: async () => undefined },
);
const seconds = (performance.now() - startedAt) / 1000;
const maxRssBytes = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ steps, lines: report.lines, seconds, maxRssBytes, duplicates: measureDuplicates() }));
