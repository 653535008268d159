import { turnRecordSchema, type TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactUploader } from '../artifacts/artifact-uploader.ts';

/** Maximum bytes of buffered records in the folder of an attempt. Further records are dropped. */
const MAX_BUFFERED_BYTES = 128 * 1024 * 1024;

/** The screenshot of a record: a JPEG. */
export interface TurnImage {
  readonly body: Buffer;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly hasMarks: boolean;
}

interface BufferedTurn {
  readonly record: TurnRecord;
  readonly image: TurnImage | null;
}

/** The files of recorded turns: as artifacts, or in the folder of the attempt until a goal ends. */
export class TurnFiles {
  private readonly uploader: Pick<ArtifactUploader, 'upload'>;
  private readonly workspace: () => string;
  /** Sizes and images of buffered records by their number. */
  private readonly buffered = new Map<number, { bytes: number; image: Omit<TurnImage, 'body'> | null }>();
  private bufferedBytes = 0;

  /** @param workspace returns the folder of the attempt */
  constructor(uploader: Pick<ArtifactUploader, 'upload'>, workspace: () => string) {
    this.uploader = uploader;
    this.workspace = workspace;
  }

  /** Stores the screenshot and then the record, which names it. @throws as `ArtifactUploader.upload` */
  async upload(record: TurnRecord, image: TurnImage | null, signal: AbortSignal): Promise<void> {
    const name = turnFileName(record);
    const facts = { kind: 'turn', step: record.step } as const;
    const artifact =
      image &&
      (await this.uploader.upload(
        { ...facts, name: `${name}.jpg`, contentType: 'image/jpeg', body: image.body },
        signal,
      ));
    const screenshot = image &&
      artifact !== null && {
        artifact,
        width: image.width,
        height: image.height,
        scale: image.width / Math.max(1, record.observation.viewport.width),
        hasMarks: image.hasMarks,
      };
    const json = JSON.stringify({ ...record, screenshot: screenshot || null });
    await this.uploader.upload(
      { ...facts, name: `${name}.json`, contentType: 'application/json', body: Buffer.from(json) },
      signal,
    );
  }

  /** Writes a record to the folder of the attempt. @returns false: the folder is full */
  async buffer(record: TurnRecord, image: TurnImage | null): Promise<boolean> {
    const json = Buffer.from(JSON.stringify(record));
    const bytes = json.length + (image?.body.length ?? 0);
    if (this.bufferedBytes + bytes > MAX_BUFFERED_BYTES) return false;
    this.bufferedBytes += bytes;
    const { width = 0, height = 0, hasMarks = false } = image ?? {};
    this.buffered.set(record.order, { bytes, image: image && { width, height, hasMarks } });
    await mkdir(this.folder, { recursive: true });
    await writeFile(this.pathOf(record.order, 'json'), json);
    if (image) await writeFile(this.pathOf(record.order, 'jpg'), image.body);
    return true;
  }

  /** Reads and deletes a buffered record; null: it does not exist. */
  async takeBuffered(order: number): Promise<BufferedTurn | null> {
    const facts = this.buffered.get(order);
    if (!facts) return null;
    this.buffered.delete(order);
    this.bufferedBytes -= facts.bytes;
    const [json, jpeg] = [this.pathOf(order, 'json'), this.pathOf(order, 'jpg')];
    const record = turnRecordSchema.parse(JSON.parse(await readFile(json, 'utf8')));
    const image = facts.image && { ...facts.image, body: await readFile(jpeg) };
    await Promise.all([json, jpeg].map((path) => rm(path, { force: true })));
    return { record, image };
  }

  private get folder(): string {
    return join(this.workspace(), 'turns');
  }

  private pathOf(order: number, extension: 'json' | 'jpg'): string {
    return join(this.folder, `${order}.${extension}`);
  }
}

/** Name of the files of a record, without extension. Several actions of a person may follow one turn. */
function turnFileName({ step, branch, turn, source, order }: TurnRecord): string {
  const suffix = source === 'person' ? `-person-${order}` : '';
  return `turn-${step}${branch === undefined ? '' : `-${branch.slice(0, 100)}`}-${turn}${suffix}`;
}
