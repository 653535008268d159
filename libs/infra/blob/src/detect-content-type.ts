import { extname } from 'node:path';
import type { ArtifactKind } from '@pilothouse/contract';
import { fileTypeFromBuffer } from 'file-type';
import { servedTypeOf, UNKNOWN_TYPE } from './object-key.ts';

/** Bytes of the beginning of a file by which its type is found. */
export const SNIFFED_BYTES = 4100;

/** Types that an artifact of a kind may have; a kind that is not here may have any. */
const typesOfKind: Partial<Record<ArtifactKind, ReadonlySet<string>>> = {
  screenshot: new Set(['image/png', 'image/jpeg', 'image/webp']),
  video: new Set(['video/mp4', 'video/webm']),
};

/** Types of texts, by the end of the file name. Other texts are plain. */
const typesOfText: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.har': 'application/json',
  '.jsonl': 'application/x-ndjson',
};

/** A file whose type is to be found. */
export interface SniffedFile {
  /** null: a file that is no artifact. */
  readonly kind: ArtifactKind | null;
  readonly name: string;
  /** The first SNIFFED_BYTES, or the whole of a shorter file. */
  readonly head: Uint8Array;
}

/**
 * The content type of a file, from its bytes. The name tells only texts apart; the sender has no say.
 * @returns a type that is safe to serve; `application/octet-stream` for anything else
 */
export async function sniffContentType({ kind, name, head }: SniffedFile): Promise<string> {
  const found = await fileTypeFromBuffer(head);
  const type = found ? servedTypeOf(found.mime) : isText(head) ? textTypeOf(name) : UNKNOWN_TYPE;
  const allowed = kind && typesOfKind[kind];
  return !allowed || allowed.has(type) ? type : UNKNOWN_TYPE;
}

const textTypeOf = (name: string) => typesOfText[extname(name).toLowerCase()] ?? 'text/plain';

/** Whether the bytes are UTF-8 without control characters. The last character may be cut off. */
function isText(head: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return !/[^\P{Cc}\t\n\r\f]/u.test(text);
  } catch {
    return false;
  }
}
