import { extname } from 'node:path';
import type { ArtifactKind } from '@pilothouse/contract/run/artifact.schema';
import { fileTypeFromBuffer } from 'file-type';
import { servedTypeOf, UNKNOWN_TYPE } from './object-key.ts';

/** Number of leading bytes that type detection reads. */
export const SNIFFED_BYTES = 4100;

/** Allowed types per artifact kind. A kind that is not listed may have any type. */
const typesOfKind: Partial<Record<ArtifactKind, ReadonlySet<string>>> = {
  screenshot: new Set(['image/png', 'image/jpeg', 'image/webp']),
  turn: new Set(['application/json', 'image/jpeg']),
  video: new Set(['video/mp4', 'video/webm']),
};

/** Text types by file extension. Other texts are plain. */
const typesOfText: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.har': 'application/json',
  '.jsonl': 'application/x-ndjson',
};

/** Input of type detection. */
export interface SniffedFile {
  /** null: the file is not an artifact. */
  readonly kind: ArtifactKind | null;
  readonly name: string;
  /** The first SNIFFED_BYTES, or all bytes of a shorter file. */
  readonly head: Uint8Array;
}

/**
 * Detects the content type of a file from its bytes. The name only distinguishes text types; a declared type is
 * ignored.
 * @returns a type that is safe to serve; `application/octet-stream` for anything else
 */
export async function sniffContentType({ kind, name, head }: SniffedFile): Promise<string> {
  const detected = await fileTypeFromBuffer(head);
  const type = detected ? servedTypeOf(detected.mime) : isText(head) ? textTypeOf(name) : UNKNOWN_TYPE;
  const allowedTypes = kind && typesOfKind[kind];
  return !allowedTypes || allowedTypes.has(type) ? type : UNKNOWN_TYPE;
}

const textTypeOf = (name: string) => typesOfText[extname(name).toLowerCase()] ?? 'text/plain';

/** True when the bytes are UTF-8 without control characters. The last character may be truncated. */
function isText(head: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return !/[^\P{Cc}\t\n\r\f]/u.test(text);
  } catch {
    return false;
  }
}
