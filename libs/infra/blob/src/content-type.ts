import { PilothouseError } from '@pilothouse/contract';

const TOKEN = '[A-Za-z0-9!#$&^_.+-]+';
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:\\s*;\\s*${TOKEN}=(?:${TOKEN}|"[^"\\\\\\r\\n]*"))*$`);

/** Longest content type, in bytes. */
export const MAX_CONTENT_TYPE = 255;

/**
 * Checks a content type before it becomes a header of somebody's answer.
 * @throws PilothouseError VALIDATION_FAILED
 */
export function checkContentType(contentType: string): void {
  if (contentType.length <= MAX_CONTENT_TYPE && MEDIA_TYPE.test(contentType)) return;
  throw new PilothouseError(
    'VALIDATION_FAILED',
    `"${contentType.slice(0, 100)}" is no content type; one looks like \`image/png\``,
  );
}

/** Type and subtype in lower case, without parameters. */
export const essenceOf = (contentType: string) => (contentType.split(';')[0] ?? '').trim().toLowerCase();

const ACTIVE = /^(text\/html|text\/xml|application\/xml|application\/xhtml\+xml|.*\+xml)$/;

/** Whether a browser that opens this may run a script of it. */
export const isActive = (contentType: string) => ACTIVE.test(essenceOf(contentType));
