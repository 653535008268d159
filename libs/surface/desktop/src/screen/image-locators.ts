import type { ImageTemplate } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { readFile, stat } from 'node:fs/promises';

/** Maximum bytes of an image file. */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Returns an action in which the files of images are replaced by their data.
 * @param file returns the path of a file input
 * @throws PilothouseError ACTION_UNSUPPORTED for a file that is too large
 */
export async function withImageData<Value>(value: Value, file: (upload: string) => Promise<string>): Promise<Value> {
  if (Array.isArray(value)) return (await Promise.all(value.map((each) => withImageData(each, file)))) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = await Promise.all(
    Object.entries(value).map(async ([key, part]) => [
      key,
      key === 'image' && isFileImage(part) ? await readImage(part, file) : await withImageData(part, file),
    ]),
  );
  return Object.fromEntries(entries) as Value;
}

const isFileImage = (value: unknown): value is ImageTemplate & { file: string } =>
  typeof value === 'object' && value !== null && typeof (value as ImageTemplate).file === 'string';

async function readImage(
  { file: upload, ...image }: ImageTemplate & { file: string },
  file: (upload: string) => Promise<string>,
): Promise<ImageTemplate> {
  const path = await file(upload);
  const { size } = await stat(path);
  if (size > MAX_FILE_BYTES)
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `The image ${upload} has ${size} bytes; give at most ${MAX_FILE_BYTES}`,
    );
  return { ...image, data: (await readFile(path)).toString('base64') };
}
