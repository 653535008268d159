import { PilothouseError } from '@pilothouse/contract';
import type { BlobStore } from '@pilothouse/core';
import type { ApiTransfers } from './api.transfers.ts';
import type { ObjectResponse, ObjectUpload } from './http.ts';
import { objectEtag } from './serve.ts';

/**
 * Answers PUT on a signed link: stores exactly the object the link names, once. A body that is refused is left unread, so the
 * answer to an error has to close the connection.
 * @throws PilothouseError FORBIDDEN, GONE for the link; CONFLICT when it was used; UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE for the body; UPLOAD_FAILED, UNAVAILABLE
 */
export async function receiveObject(
  store: Pick<BlobStore, 'put'>,
  transfers: Pick<ApiTransfers, 'verify'>,
  request: ObjectUpload,
): Promise<ObjectResponse> {
  const grant = transfers.verify(request);
  if (grant.kind !== 'upload') throw new PilothouseError('FORBIDDEN', 'The link is for reading, not for sending');
  const { key, contentType, maxBytes } = grant;
  const { headers, body, signal } = request;
  if (headers['content-type'] !== contentType) {
    throw new PilothouseError('UNSUPPORTED_MEDIA_TYPE', `The link is for \`Content-Type: ${contentType}\``);
  }
  if (headers['content-encoding']) {
    throw new PilothouseError('UNSUPPORTED_MEDIA_TYPE', 'Send the object as it is, without `Content-Encoding`');
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    throw new PilothouseError('PAYLOAD_TOO_LARGE', `The link is for at most ${maxBytes} bytes`);
  }
  const stored = await store.put(key, body, { contentType, maxBytes, signal, isNew: true });
  return { status: 200, headers: { etag: objectEtag(stored), 'content-length': '0' }, body: null };
}
