import type { PendingAuthorization } from '@pilothouse/infra-oidc';
import type { Vault } from '@pilothouse/infra-vault';

const NAME = 'pilothouse_oidc';
const CONTEXT = { context: 'oidc' };

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

const attributes = (origin: string, seconds: number) =>
  `Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${origin.startsWith('https:') ? '; Secure' : ''}`;

/** A Set-Cookie header. */
export function serializePendingLogin(
  vault: Pick<Vault, 'seal'>,
  begun: Omit<PendingLogin, 'until'>,
  now: Date,
): string {
  const kept: PendingLogin = { ...begun, until: now.getTime() + LIFE * 1000 };
  const sealed = vault.seal(JSON.stringify(kept), CONTEXT).toString('base64url');
  return `${NAME}=${sealed}; ${attributes(begun.origin, LIFE)}`;
}

/** A Set-Cookie header that takes it away. */
export const clearPendingLogin = (origin: string) => `${NAME}=; ${attributes(origin, 0)}`;

/** What this browser began; null: nothing, or too long ago. */
export function readPendingLogin(
  vault: Pick<Vault, 'open'>,
  header: string | undefined,
  now: Date,
): PendingLogin | null {
  const value = new RegExp(`(?:^|;) *${NAME}=([\\w-]{1,4000})`).exec(header ?? '')?.[1];
  if (value === undefined) return null;
  try {
    const begun = JSON.parse(vault.open(Buffer.from(value, 'base64url'), CONTEXT).toString('utf8')) as PendingLogin;
    return begun.until > now.getTime() ? begun : null;
  } catch {
    // Sealed by another house, or by nobody.
    return null;
  }
}
