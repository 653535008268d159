import { createHmac, timingSafeEqual } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { splitKey } from '../object-key.ts';

/** Path of the objects below the base URL of the API. */
export const OBJECTS_PATH = '/v1/objects/';

/** Rights that a link grants. */
export type ObjectGrant =
  | { readonly kind: 'upload'; readonly key: string; readonly contentType: string; readonly maxBytes: number }
  | {
      readonly kind: 'download';
      readonly key: string;
      readonly contentType: string;
      readonly name: string;
      readonly inline: boolean;
    };

/** A grant with its expiry in milliseconds since 1970. */
export type ExpiringGrant = ObjectGrant & { readonly expires: number };

/** Creates path and query of a link: the grant in plain text and a signature over all of it. */
export function signLink(secret: Buffer, grant: ExpiringGrant): string {
  const query = new URLSearchParams({
    type: grant.contentType,
    ...(grant.kind === 'upload'
      ? { max: String(grant.maxBytes) }
      : { name: grant.name, ...(grant.inline && { inline: '1' }) }),
    expires: String(grant.expires),
    signature: signatureOf(secret, grant).toString('base64url'),
  });
  return `${OBJECTS_PATH}${grant.key}?${query}`;
}

/**
 * Verifies a link and returns its grant.
 * @param url path and query, or a complete URL
 * @throws PilothouseError FORBIDDEN when the signature does not match, GONE when the link has expired
 */
export function verifyLink(secret: Buffer, method: string, url: string, now: Date): ExpiringGrant {
  const { pathname, searchParams } = new URL(url, 'http://any');
  const pathIndex = pathname.indexOf(OBJECTS_PATH);
  const grant = pathIndex < 0 ? null : grantOf(method, pathname.slice(pathIndex + OBJECTS_PATH.length), searchParams);
  const signature = Buffer.from(searchParams.get('signature') ?? '', 'base64url');
  const expectedSignature = grant && signatureOf(secret, grant);
  if (
    !grant ||
    !expectedSignature ||
    signature.length !== expectedSignature.length ||
    !timingSafeEqual(signature, expectedSignature)
  ) {
    throw new PilothouseError('FORBIDDEN', 'The link is not valid for this request: request a new link');
  }
  if (grant.expires <= now.getTime()) {
    throw new PilothouseError('GONE', 'The link has expired: request a new link');
  }
  // A valid signature says nothing about the key.
  splitKey(grant.key);
  return grant;
}

function grantOf(method: string, key: string, query: URLSearchParams): ExpiringGrant | null {
  const contentType = query.get('type') ?? '';
  const expires = Number(query.get('expires'));
  if (method === 'PUT') return { kind: 'upload', key, contentType, maxBytes: Number(query.get('max')), expires };
  if (method !== 'GET' && method !== 'HEAD') return null;
  const inline = query.get('inline') === '1';
  return { kind: 'download', key, contentType, name: query.get('name') ?? '', inline, expires };
}

/** Signs every part of the grant. JSON makes the encoding unambiguous. */
function signatureOf(secret: Buffer, grant: ExpiringGrant): Buffer {
  const { kind, key, contentType, expires } = grant;
  const rest = grant.kind === 'upload' ? [grant.maxBytes] : [grant.name, grant.inline];
  return createHmac('sha256', secret)
    .update(JSON.stringify(['object-link-1', kind, key, contentType, expires, ...rest]))
    .digest();
}
