import type { Transfer } from '@pilothouse/contract/run/artifact.schema';
import type { SignedTransfers } from '@pilothouse/core/ports/blob-store.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { checkContentType, splitKey } from '../object-key.ts';
import { verifyLink, signLink, type ExpiringGrant, type ObjectGrant } from './signed-link.ts';

export interface ApiTransfersOptions {
  /** Signing key, at least 32 bytes; the same in every replica. */
  readonly secret: Buffer;
  /** API address of the receiver of the links, without a trailing slash. */
  readonly baseUrl: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** The grant of a valid link, and the whole seconds until it expires. */
export type VerifiedGrant = ObjectGrant & { readonly secondsLeft: number };

/** Transfers through the API, which carries them out with `serveObject` and `receiveObject`. */
export interface ApiTransfers extends SignedTransfers {
  /**
   * Verifies the link of a request and returns its grant.
   * @throws PilothouseError FORBIDDEN, GONE
   */
  verify(request: { readonly method: string; readonly url: string }): VerifiedGrant;
}

/** Creates links to the API, signed with HMAC-SHA256 over everything they grant. */
export function createApiTransfers({ secret, baseUrl, clock }: ApiTransfersOptions): ApiTransfers {
  const base = baseUrl.replace(/\/+$/, '');
  const expiry = (seconds: number) => clock.now().getTime() + seconds * 1000;
  const transfer = (method: Transfer['method'], grant: ExpiringGrant, headers: Transfer['headers'] = {}): Transfer => ({
    method,
    url: base + signLink(secret, grant),
    headers,
    expiresAt: new Date(grant.expires).toISOString(),
  });
  return {
    async upload(key, { contentType, maxBytes, expiresInSeconds }) {
      splitKey(key);
      checkContentType(contentType);
      const grant = { kind: 'upload', key, contentType, maxBytes, expires: expiry(expiresInSeconds) } as const;
      return transfer('PUT', grant, { 'content-type': contentType });
    },
    async download(key, { name, contentType, expiresInSeconds, inline = false }) {
      splitKey(key);
      checkContentType(contentType);
      const expires = expiry(expiresInSeconds);
      return transfer('GET', { kind: 'download', key, contentType, name, inline, expires });
    },
    verify({ method, url }) {
      const now = clock.now();
      const { expires, ...grant } = verifyLink(secret, method, url, now);
      return { ...grant, secondsLeft: Math.floor((expires - now.getTime()) / 1000) };
    },
  };
}
