import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { datasetExampleSchema, type DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import {
  createExportSchema,
  exportFormats,
  exportObjectives,
  type CreateExport,
} from '@pilothouse/contract/learning/dataset-export.schema';
import { dialects } from '@pilothouse/contract/model/model.schema';
import { exportFormatTable, formatSteps } from '@pilothouse/core/learning/formats/export-format';
import type { ExampleWithImage } from '@pilothouse/core/learning/formats/format-types';
import { llamaFactoryInfo } from '@pilothouse/core/learning/formats/llamafactory.format';
import sharp from 'sharp';

/** Distinct images, and steps of a trace. */
const IMAGES = 20;
const TRACE_STEPS = 10;

/** Texts that loaders must not read as syntax. */
const TEXTS = [
  'rope 8 mm',
  '<image> <video> <audio>',
  '日本 🙂 "quoted"',
  'Action: x\nThought: y',
  '{"a": [1]}',
  '</s><|im_end|>',
];

interface SyntheticImage {
  readonly path: string;
  readonly data: Buffer;
  readonly facts: NonNullable<DatasetExample['image']>;
}

async function createImages(): Promise<SyntheticImage[]> {
  return Promise.all(
    Array.from({ length: IMAGES }, async (_, index) => {
      const background = { r: (index * 53) % 256, g: (index * 97) % 256, b: (index * 29) % 256 };
      const data = await sharp({ create: { width: 320, height: 200, channels: 3, background } })
        .jpeg()
        .toBuffer();
      const hash = createHash('sha256').update(data).digest('hex');
      const facts = { sha256: hash, perceptualHash: '0'.repeat(16), width: 320, height: 200, bytes: data.length };
      return { path: `images/${hash.slice(0, 2)}/${hash}.jpg`, data, facts };
    }),
  );
}

/** A step whose content depends on its number. Every fifth is bad and corrected; every seventh is of a person. */
function syntheticExample(number: number, image: SyntheticImage['facts']): DatasetExample {
  const text = TEXTS[number % TEXTS.length] ?? '';
  const bounds = { x: 200, y: 100, width: 160, height: 40 };
  const target = { elementIndex: 1 };
  const isPerson = number % 7 === 0;
  const actions = [
    { action: 'click', target } as const,
    { action: 'fill', target: { elementIndex: 2 }, text: `order ${number}` } as const,
    { action: 'press', key: 'Enter' } as const,
    { action: 'scroll', by: { y: 500 } } as const,
  ];
  const answer = (index: number) => [
    { kind: 'act' as const, action: actions[index % actions.length] ?? null, target: index % 4 < 2 ? bounds : null },
  ];
  const trace = Math.floor(number / TRACE_STEPS);
  return datasetExampleSchema.parse({
    run: `00000000-0000-4000-8000-${String(trace).padStart(12, '0')}`,
    ordinal: (number % TRACE_STEPS) + 1,
    split: 'train',
    workflow: 'order-supplies',
    site: 'shop.test',
    at: '2026-11-01T12:00:00.000Z',
    surface: 'browser',
    goal: `Order ${text}`,
    input: isPerson ? null : { system: 'You operate a browser.', text: `Goal: Order ${text}\nStep ${number}` },
    prompt: isPerson ? null : { name: 'act-text', version: 10 },
    tier: 'text',
    turnSource: isPerson ? 'person' : 'model',
    model: isPerson ? null : 'gemini/flash',
    dialect: isPerson ? null : 'calls',
    page: {
      url: 'https://shop.test/catalogue',
      title: text,
      viewport: { width: 1280, height: 800 },
      elements: [
        { index: 1, role: 'button', name: `Order ${number}`, state: {}, tags: [], bounds },
        { index: 2, role: 'textbox', name: 'Amount', value: '', state: {}, tags: [], bounds: { ...bounds, y: 300 } },
      ],
    },
    image,
    thought: `I order ${text}`,
    actions: answer(number),
    expects: null,
    outcome: `Page: ${text}`,
    quality: number % 5 === 0 ? 'bad' : 'good',
    labelSource: isPerson ? 'person' : 'rule',
    reason: 'Checked',
    correction: number % 5 === 0 ? { thought: 'Another one first.', actions: answer(number + 1) } : null,
    textHash: '0'.repeat(64),
  });
}

/** Expected content of an export: line and image counts. */
export interface ExpectedExport {
  readonly folder: string;
  readonly format: CreateExport['format'];
  readonly objective: CreateExport['objective'];
  readonly dialect: CreateExport['dialect'];
  readonly lines: number;
  readonly images: number;
  /** Steps that the format cannot carry. */
  readonly rejected: number;
}

/** Writes an export of each format, objective and suitable dialect. @returns what loaders must find */
export async function writeSyntheticExports(folder: string, steps: number): Promise<ExpectedExport[]> {
  const images = await createImages();
  const exports: ExpectedExport[] = [];
  for (const format of exportFormats)
    for (const objective of exportObjectives.filter((name) => exportFormatTable[format].objectives.includes(name)))
      for (const dialect of dialects) {
        const isTextOnly = format === 'gemini' && objective === 'preference';
        const options = createExportSchema.parse({ format, objective, dialect, includeImages: !isTextOnly });
        const expected = await writeSyntheticExport(folder, options, images, steps);
        if (expected.lines > 0) exports.push(expected);
      }
  await writeFile(join(folder, 'expected.json'), JSON.stringify(exports));
  return exports;
}

async function writeSyntheticExport(
  parent: string,
  options: CreateExport,
  images: readonly SyntheticImage[],
  steps: number,
): Promise<ExpectedExport> {
  const { format, objective, dialect } = options;
  const folder = join(parent, `${format}-${objective}-${dialect}`);
  await mkdir(folder, { recursive: true });
  const hasFiles = !exportFormatTable[format].embedsImages(options);
  for (const { path, data } of hasFiles ? images : []) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), data);
  }
  const file = createWriteStream(join(folder, 'train.jsonl'));
  const unit = exportFormatTable[format].unit === 'trace' ? TRACE_STEPS : 1;
  const counts = { lines: 0, images: 0, rejected: 0 };
  for (let first = 0; first < steps; first += unit) {
    const examples = Array.from({ length: unit }, (_, index): ExampleWithImage => {
      const image = images[(first + index) % images.length] as SyntheticImage;
      const { path, data, facts } = image;
      const base64 = hasFiles ? null : data.toString('base64');
      return {
        example: syntheticExample(first + index, facts),
        image: options.includeImages ? { path, base64, bytes: data.length } : null,
      };
    });
    const formatted = formatSteps(examples, options);
    if (formatted.kind === 'rejected') {
      counts.rejected += unit;
      continue;
    }
    counts.lines += formatted.lines.length;
    counts.images += formatted.images;
    for (const line of formatted.lines) if (!file.write(`${JSON.stringify(line)}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  if (format === 'llamafactory')
    await writeFile(
      join(folder, 'dataset_info.json'),
      JSON.stringify(llamaFactoryInfo(['train.jsonl'], objective === 'preference')),
    );
  return { folder, format, objective, dialect, ...counts };
}
