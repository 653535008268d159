import type { PendingAuthorization } from '@pilothouse/infra-oidc';
import type { Vault } from '@pilothouse/infra-vault';
import { parseCookie, stringifySetCookie } from 'cookie';

const NAME = 'pilothouse_oidc';
const CONTEXT = { context: 'oidc' };

/** Maximum length of the sealed value. */
const MAX_CHARS = 4_000;

/** Seconds a user may take at the provider. */
const LIFE = 600;

/** What is kept while a user is at the provider: only this browser has it, and only the house can read it. */
export interface PendingLogin extends PendingAuthorization {
  /** Where the browser began: the console, unless that is said to be elsewhere. */
  readonly origin: string;
  /** Path of the console to go to afterwards. */
  readonly next: string;
  /** When it is over, in milliseconds since 1970. */
  readonly until: number;
}

const setCookie = (value: string, origin: string, seconds: number) =>
  stringifySetCookie({
    name: NAME,
    value,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    maxAge: seconds,
    secure: origin.startsWith('https:'),
  });

/** A Set-Cookie header. */
export function serializePendingLogin(
  vault: Pick<Vault, 'seal'>,
  begun: Omit<PendingLogin, 'until'>,
  now: Date,
): string {
  const kept: PendingLogin = { ...begun, until: now.getTime() + LIFE * 1000 };
  const sealed = vault.seal(JSON.stringify(kept), CONTEXT).toString('base64url');
  return setCookie(sealed, begun.origin, LIFE);
}

/** A Set-Cookie header that deletes it. */
export const clearPendingLogin = (origin: string) => setCookie('', origin, 0);

/** What this browser began; null: nothing, or too long ago. */
export function readPendingLogin(
  vault: Pick<Vault, 'open'>,
  header: string | undefined,
  now: Date,
): PendingLogin | null {
  const value = parseCookie(header ?? '')[NAME];
  if (!value || value.length > MAX_CHARS) return null;
  try {
    const begun = JSON.parse(vault.open(Buffer.from(value, 'base64url'), CONTEXT).toString('utf8')) as PendingLogin;
    return begun.until > now.getTime() ? begun : null;
  } catch {
    // Sealed by another house, or by nobody.
    return null;
  }
}
