import { PilothouseError } from '@pilothouse/contract';
import type { BlobStat, BlobStore } from '@pilothouse/core';
import { isShownInline, servedTypeOf } from '../content-type.ts';
import { objectNotFound } from '../span.ts';
import type { ApiTransfers, VerifiedGrant } from './api.transfers.ts';
import { contentDisposition } from './disposition.ts';
import type { ObjectResponse, ObjectRequest } from './http.ts';
import { parseRangeHeader } from './range.ts';

type Download = Extract<VerifiedGrant, { kind: 'download' }>;

/** Origins whose pages may embed an object: `same-origin`, or `cross-origin` where objects have an origin of their own. */
export type ResourcePolicy = 'same-origin' | 'cross-origin';

/**
 * Headers of every object. A file of a run comes from an untrusted page: opened in the API's origin it may not run a
 * script, load anything or act as a script of a page.
 */
export const objectGuards = (policy: ResourcePolicy = 'same-origin') => ({
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': policy,
});

/**
 * Answers GET or HEAD on a signed link: whole, in part (`Range`), or 304 when the asker has it already.
 * @throws PilothouseError FORBIDDEN, GONE for the link; NOT_FOUND; UNAVAILABLE when the store is away
 */
export async function serveObject(
  store: Pick<BlobStore, 'stat' | 'get'>,
  transfers: Pick<ApiTransfers, 'verify'>,
  request: ObjectRequest,
  policy?: ResourcePolicy,
): Promise<ObjectResponse> {
  const grant = transfers.verify(request);
  if (grant.kind !== 'download') throw new PilothouseError('FORBIDDEN', 'The link is for sending, not for reading');
  const found = await store.stat(grant.key);
  if (!found) throw objectNotFound(grant.key);
  const headers = { ...headersOf(grant, found), ...objectGuards(policy) };
  if (isKnown(request, headers.etag)) return { status: 304, headers, body: null };

  const range = isStale(request, headers.etag) ? 'all' : parseRangeHeader(request.headers.range, found.size);
  if (range === 'none') {
    return { status: 416, headers: { ...objectGuards(policy), 'content-range': `bytes */${found.size}` }, body: null };
  }
  const { start, end } = range === 'all' ? { start: 0, end: found.size - 1 } : range;
  const answer: ObjectResponse = {
    status: range === 'all' ? 200 : 206,
    headers: {
      ...headers,
      'content-length': String(end - start + 1),
      ...(range !== 'all' && { 'content-range': `bytes ${start}-${end}/${found.size}` }),
    },
    body: null,
  };
  if (request.method === 'HEAD') return answer;
  return { ...answer, body: await store.get(grant.key, range === 'all' ? undefined : range) };
}

function headersOf(grant: Download, { size, modifiedAt }: BlobStat) {
  return {
    // Checked here and not only where the link is signed: a link may be older than the rule.
    'content-type': servedTypeOf(grant.contentType),
    'content-disposition': contentDisposition(grant.name, grant.inline && isShownInline(grant.contentType)),
    'cache-control': `private, max-age=${grant.secondsLeft}, immutable`,
    'accept-ranges': 'bytes',
    etag: objectEtag({ size, modifiedAt }),
    'last-modified': modifiedAt.toUTCString(),
  };
}

/** A key is written once, so its length and instant tell one content from another. */
export const objectEtag = ({ size, modifiedAt }: Pick<BlobStat, 'size' | 'modifiedAt'>) =>
  `"${size.toString(36)}-${Math.floor(modifiedAt.getTime()).toString(36)}"`;

function isKnown({ headers }: ObjectRequest, etag: string): boolean {
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known !== undefined && (known.includes(etag) || known.includes('*'));
}

/** With `If-Range` a part is wanted only of what the asker began to read. */
function isStale({ headers }: ObjectRequest, etag: string): boolean {
  const tag = headers['if-range'];
  return tag !== undefined && tag !== etag;
}
