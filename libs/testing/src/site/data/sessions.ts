import { randomUUID } from 'node:crypto';
import type { Account } from './accounts.ts';

export const SESSION_COOKIE = 'harbour_session';

/** `label` is what the ledger and logs may show; the cookie's value stays between browser and site. */
export interface Session {
  label: string;
  account: Account;
}

/** Logins of one site instance, in memory. */
export class Sessions {
  readonly #byToken = new Map<string, Session>();
  #count = 0;

  open(account: Account): { token: string; session: Session } {
    this.#count += 1;
    const token = randomUUID();
    const session = { label: `S-${this.#count}`, account };
    this.#byToken.set(token, session);
    return { token, session };
  }

  find(token: string | undefined): Session | undefined {
    return token === undefined ? undefined : this.#byToken.get(token);
  }

  close(token: string | undefined): void {
    if (token !== undefined) this.#byToken.delete(token);
  }
}

/** The value of one cookie in a `Cookie` header. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key, ...rest] = pair.trim().split('=');
    if (key === name) return rest.join('=');
  }
  return undefined;
}
