import type { PendingAuthorization } from '@pilothouse/infra-oidc';
import type { Vault } from '@pilothouse/infra-vault';
import { readCookie, serializeCookie } from '../../http/cookies.ts';

const NAME = 'pilothouse_oidc';
const CONTEXT = { context: 'oidc' };

/** Maximum length of the sealed value. */
const MAX_CHARS = 4_000;

/** Seconds for the sign-in at the provider. */
const LIFETIME_SECONDS = 600;

/** State of a login at the provider. It is sealed in a cookie, so that only the browser that started the login can finish it. */
export interface PendingLogin extends PendingAuthorization {
  /** Origin of the request that started the login. */
  readonly origin: string;
  /** Path of the console to open afterwards. */
  readonly next: string;
  /** Time of expiry, in milliseconds since 1970. */
  readonly until: number;
}

/** Returns a Set-Cookie header. */
export function serializePendingLogin(
  vault: Pick<Vault, 'seal'>,
  login: Omit<PendingLogin, 'until'>,
  now: Date,
): string {
  const state: PendingLogin = { ...login, until: now.getTime() + LIFETIME_SECONDS * 1000 };
  const sealed = vault.seal(JSON.stringify(state), CONTEXT).toString('base64url');
  return serializeCookie(NAME, sealed, login.origin, LIFETIME_SECONDS);
}

/** Returns a Set-Cookie header that deletes the cookie. */
export const clearPendingLogin = (origin: string) => serializeCookie(NAME, '', origin, 0);

/** Reads the login that this browser started. Returns null if it does not exist or it has expired. */
export function readPendingLogin(
  vault: Pick<Vault, 'open'>,
  header: string | undefined,
  now: Date,
): PendingLogin | null {
  const value = readCookie(header, NAME);
  if (!value || value.length > MAX_CHARS) return null;
  try {
    const login = JSON.parse(vault.open(Buffer.from(value, 'base64url'), CONTEXT).toString('utf8')) as PendingLogin;
    return login.until > now.getTime() ? login : null;
  } catch {
    // Forged, or sealed by another installation.
    return null;
  }
}
