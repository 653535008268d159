import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { splitGroup, splitOf } from '@pilothouse/core/learning/dataset/dataset-split';
import { textIdentity } from '@pilothouse/core/learning/dataset/deduplication';
import { redactExample, secretAreas, secretFieldTexts } from '@pilothouse/core/learning/dataset/example-redaction';
import { exampleOf } from '@pilothouse/core/learning/dataset/trace-example';
import { MAX_TURN_RECORD_BYTES, parseTurnRecord } from '@pilothouse/core/learning/parse-turn-record';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import type { DatasetToBuild, SelectedStep } from '@pilothouse/infra-db';
import { blackenAreas, perceptualHash } from '@pilothouse/infra-image';
import { findObject, MAX_IMAGE_BYTES, sha256 } from './dataset-objects.ts';

/** A step as an example, or the reason why the dataset omits it. */
export type LoadedExample =
  | {
      readonly kind: 'example';
      readonly step: SelectedStep;
      readonly example: DatasetExample;
      readonly group: string;
      readonly redactions: number;
      /** Blackened screenshot as JPEG; null: the step has none. */
      readonly image: Buffer | null;
    }
  | { readonly kind: 'omitted'; readonly step: SelectedStep; readonly reason: string };

/** Loads the record and the screenshot of a step, redacts both, and computes their hashes. */
export async function loadExample(
  objects: BlobStore,
  step: SelectedStep,
  { seed, shares }: Pick<DatasetToBuild, 'seed' | 'shares'>,
): Promise<LoadedExample> {
  const omit = (reason: string) => ({ kind: 'omitted', step, reason }) as const;
  const [record, source] = await Promise.all([
    step.recordKey === null ? null : readRecord(objects, step.recordKey),
    step.screenshotKey === null ? null : findObject(objects, step.screenshotKey, MAX_IMAGE_BYTES),
  ]);
  if (record === null) return omit('The turn record is missing');
  if (record === 'invalid') return omit('The turn record cannot be read');
  if (step.hasScreenshot && !source) return omit('The screenshot is missing');
  const areas = secretAreas(record.observation.elements);
  const image = source && (await imageOf(source, record, areas));
  if (image === 'invalid') return omit('The screenshot cannot be read');
  const secretTexts = secretFieldTexts(record, step.correctedActions ?? []);
  const { example, count } = redactExample(exampleOf(record, step, step), secretTexts);
  const group = splitGroup(example);
  const hashed = { ...example, split: splitOf(group, seed, shares), image: image?.facts ?? null };
  return {
    kind: 'example',
    step,
    group,
    example: { ...hashed, textHash: sha256(textIdentity(hashed)) },
    redactions: count + (image ? areas.length : 0),
    image: image?.data ?? null,
  };
}

async function readRecord(objects: BlobStore, key: string): Promise<TurnRecord | 'invalid' | null> {
  const data = await findObject(objects, key, MAX_TURN_RECORD_BYTES);
  if (!data) return null;
  const parsed = parseTurnRecord(data.toString('utf8'));
  return 'record' in parsed ? parsed.record : 'invalid';
}

async function imageOf(source: Buffer, { observation }: TurnRecord, areas: ReturnType<typeof secretAreas>) {
  try {
    const { data, width, height } = await blackenAreas(source, areas, observation.viewport);
    const hash = await perceptualHash(data);
    const facts = { sha256: sha256(data), perceptualHash: hash, width, height, bytes: data.length };
    return { data, facts };
  } catch {
    return 'invalid' as const;
  }
}
