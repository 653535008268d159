import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { MAX_MODEL_IMAGE_CHARS } from '@pilothouse/contract/model/model.schema';
import { MAX_TURN_RECORD_BYTES, parseTurnRecord } from '@pilothouse/core/learning/parse-turn-record';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { readObject } from '@pilothouse/infra-blob';
import type { TraceToScore, TurnFile } from '@pilothouse/infra-db';

/** A file that should have a record, with the record or the reason why it has none. */
export interface RecordFile {
  readonly file: TurnFile;
  /** Without the texts of the model call: scores do not need them. */
  readonly record: TurnRecord | null;
  /** Sentence; null: the record was read. */
  readonly problem: string | null;
}

/** Number of records that are read concurrently. */
const CONCURRENT_READS = 4;

/** Reads the records of a run in the order of time. A missing or damaged file stays in the list, without a record. @throws errors of the object store */
export async function readRecordFiles(store: Pick<BlobStore, 'get'>, trace: TraceToScore): Promise<RecordFile[]> {
  const files = trace.files.filter(({ name }) => name.endsWith('.json'));
  const read: RecordFile[] = [];
  for (let start = 0; start < files.length; start += CONCURRENT_READS) {
    const batch = files.slice(start, start + CONCURRENT_READS);
    read.push(...(await Promise.all(batch.map((file) => readRecordFile(store, file, trace.run)))));
  }
  return inOrder(read);
}

async function readRecordFile(store: Pick<BlobStore, 'get'>, file: TurnFile, run: string): Promise<RecordFile> {
  const failed = (problem: string): RecordFile => ({ file, record: null, problem });
  if (file.size === null) return failed('The record of the turn was not stored: its worker was lost.');
  const bytes = await readIfPresent(store, file.key, MAX_TURN_RECORD_BYTES);
  if (bytes === null) return failed('The record of the turn is missing in the object store.');
  const parsed = parseTurnRecord(bytes.toString('utf8'));
  if ('problem' in parsed) return failed(parsed.problem);
  if (parsed.record.run !== run) return failed('The record of the turn is damaged: it names another run.');
  return { file, record: { ...parsed.record, input: null, answer: null }, problem: null };
}

/** Sorts the records of each attempt by their order. Files arrive in any order. */
function inOrder(files: readonly RecordFile[]): RecordFile[] {
  const byAttempt = Map.groupBy(
    files.filter(({ record }) => record !== null),
    ({ record }) => record?.attempt,
  );
  const queues = new Map(
    [...byAttempt].map(([attempt, group]) => [
      attempt,
      group.toSorted((left, right) => (left.record?.order ?? 0) - (right.record?.order ?? 0)),
    ]),
  );
  return files.map((file) => (file.record === null ? file : (queues.get(file.record.attempt)?.shift() ?? file)));
}

/** Screenshot of a record as base64; null: no screenshot, or too large for a model. @throws errors of the object store */
export async function readScreenshot(
  store: Pick<BlobStore, 'get'>,
  { files }: TraceToScore,
  record: TurnRecord,
): Promise<string | null> {
  const file = files.find(({ id }) => id === record.screenshot?.artifact);
  // Base64 has 4 characters for 3 bytes.
  const maxBytes = Math.floor((MAX_MODEL_IMAGE_CHARS / 4) * 3);
  if (!file || file.size === null || file.size > maxBytes) return null;
  const bytes = await readIfPresent(store, file.key, maxBytes);
  return bytes && isJpeg(bytes) ? bytes.toString('base64') : null;
}

const isJpeg = (bytes: Buffer): boolean => bytes[0] === 0xff && bytes[1] === 0xd8;

/** null: the object does not exist, or is too large. */
async function readIfPresent(store: Pick<BlobStore, 'get'>, key: string, maxBytes: number): Promise<Buffer | null> {
  try {
    return await readObject(store, key, maxBytes);
  } catch (error) {
    if (error instanceof PilothouseError && ['NOT_FOUND', 'PAYLOAD_TOO_LARGE'].includes(error.code)) return null;
    throw error;
  }
}
