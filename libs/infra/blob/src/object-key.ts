import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';

const MAX_KEY_CHARS = 1024;
// A segment is a file name in the folder store: most file systems allow 255 bytes.
const SEGMENT = /^[A-Za-z0-9._-]{1,200}$/;

/** True when the text is valid as one segment of a key. */
export const isKeySegment = (name: string) => SEGMENT.test(name) && name !== '.' && name !== '..';

/**
 * Splits a key into its segments.
 * @throws PilothouseError VALIDATION_FAILED for anything that is not a path of `[A-Za-z0-9._-]` segments
 */
export function splitKey(key: string): string[] {
  const segments = key.split('/');
  if (key.length > MAX_KEY_CHARS || !segments.every(isKeySegment)) {
    throw new PilothouseError(
      'VALIDATION_FAILED',
      `"${key.slice(0, 200)}" is not an object key. Use segments of letters, digits, ".", "_" and "-", joined by "/".`,
    );
  }
  return segments;
}

/**
 * Checks a key prefix: a key, the beginning of one, or empty.
 * @throws PilothouseError VALIDATION_FAILED
 */
export function checkPrefix(prefix: string): void {
  if (prefix === '') return;
  const segments = prefix.split('/');
  const last = segments.pop() ?? '';
  const isValid = segments.every(isKeySegment) && (last === '' || /^[A-Za-z0-9._-]{1,200}$/.test(last));
  if (!isValid) throw new PilothouseError('VALIDATION_FAILED', `"${prefix.slice(0, 200)}" is not a prefix of a key`);
}

const TOKEN = '[A-Za-z0-9!#$&^_.+-]+';
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:\\s*;\\s*${TOKEN}=(?:${TOKEN}|"[^"\\\\\\r\\n]*"))*$`);

/** Maximum length of a content type, in bytes. */
export const MAX_CONTENT_TYPE = 255;

/** Type of an object that is stored or served without a known type. */
export const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * Checks a content type before it is used as a response header.
 * @throws PilothouseError VALIDATION_FAILED
 */
export function checkContentType(contentType: string): void {
  if (contentType.length <= MAX_CONTENT_TYPE && MEDIA_TYPE.test(contentType)) return;
  throw new PilothouseError(
    'VALIDATION_FAILED',
    `"${contentType.slice(0, 100)}" is not a content type. Example: \`image/png\``,
  );
}

/** Type and subtype in lower case, without parameters. */
const mediaTypeOf = (contentType: string) => (contentType.split(';')[0] ?? '').trim().toLowerCase();

/** Types that a browser may show inline: none of them runs a script of the origin. */
const INLINE: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'video/mp4',
  'video/webm',
  'application/pdf',
]);

/** Further types that are served under their own name, as downloads. Any other type is served as UNKNOWN_TYPE. */
const SAVED: ReadonlySet<string> = new Set([
  'text/plain',
  'text/csv',
  'application/json',
  'application/x-ndjson',
  'application/zip',
  'application/gzip',
  'application/x-7z-compressed',
  'application/vnd.rar',
  'application/x-tar',
  'application/x-cfb',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/rtf',
  'application/epub+zip',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.oasis.opendocument.text',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/vnd.oasis.opendocument.presentation',
  'image/bmp',
  'image/tiff',
  'image/avif',
  'image/heic',
  'image/x-icon',
  'audio/mpeg',
  'audio/mp4',
  'audio/ogg',
  'audio/wav',
  'audio/x-flac',
  'video/quicktime',
  'video/matroska',
  'video/vnd.avi',
]);

/** True when a browser may show this type inline. */
export const isShownInline = (contentType: string) => INLINE.has(mediaTypeOf(contentType));

/** Returns the content type for serving an object. It is never one that a browser runs or applies as a style sheet. */
export function servedTypeOf(contentType: string): string {
  const essence = mediaTypeOf(contentType);
  return INLINE.has(essence) || SAVED.has(essence) ? essence : UNKNOWN_TYPE;
}
