import { createHmac, timingSafeEqual } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract';
import { splitKey } from '../object-key.ts';

/** Where the API serves objects, below its base URL. */
export const OBJECTS_PATH = '/v1/objects/';

/** What a link gives the right to. */
export type ObjectGrant =
  | { readonly kind: 'upload'; readonly key: string; readonly contentType: string; readonly maxBytes: number }
  | {
      readonly kind: 'download';
      readonly key: string;
      readonly contentType: string;
      readonly name: string;
      readonly inline: boolean;
    };

/** A grant that ends: milliseconds since 1970. */
export type ExpiringGrant = ObjectGrant & { readonly expires: number };

/** Path and query of a link: the grant in the open, and a signature over all of it. */
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
 * The grant of a link.
 * @param url path and query, or a whole URL
 * @throws PilothouseError FORBIDDEN when it is not one of ours or was changed, GONE when it has expired
 */
export function verifyLink(secret: Buffer, method: string, url: string, now: Date): ExpiringGrant {
  const { pathname, searchParams } = new URL(url, 'http://any');
  const at = pathname.indexOf(OBJECTS_PATH);
  const grant = at < 0 ? null : grantOf(method, pathname.slice(at + OBJECTS_PATH.length), searchParams);
  const given = Buffer.from(searchParams.get('signature') ?? '', 'base64url');
  const right = grant && signatureOf(secret, grant);
  if (!grant || !right || given.length !== right.length || !timingSafeEqual(given, right)) {
    throw new PilothouseError('FORBIDDEN', 'The link is not valid for this request; ask for a new one');
  }
  if (grant.expires <= now.getTime()) {
    throw new PilothouseError('GONE', 'The link has expired; ask for a new one');
  }
  // The signature says that the key was ours; this says that it is one, whoever signed.
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

/** Signature over every part of the grant; as JSON, so that no two grants are written the same. */
function signatureOf(secret: Buffer, grant: ExpiringGrant): Buffer {
  const { kind, key, contentType, expires } = grant;
  const rest = grant.kind === 'upload' ? [grant.maxBytes] : [grant.name, grant.inline];
  return createHmac('sha256', secret)
    .update(JSON.stringify(['object-link-1', kind, key, contentType, expires, ...rest]))
    .digest();
}
