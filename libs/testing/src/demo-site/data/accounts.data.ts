import { randomUUID } from 'node:crypto';

export interface Account {
  email: string;
  name: string;
  company: string;
}

/** The demo login, shown on the login page. It is not a secret. */
export const DEMO_ACCOUNT = { email: 'demo@harbour.example', password: 'harbour-demo' } as const;

const DEMO_PROFILE: Account = { email: DEMO_ACCOUNT.email, name: 'Robin Vance', company: 'Northgate Shipping' };

/** Returns the account if both match. The result does not reveal which one was wrong. */
export function authenticate(email: string, password: string): Account | undefined {
  const isValid = isKnownEmail(email) && password === DEMO_ACCOUNT.password;
  return isValid ? DEMO_PROFILE : undefined;
}

export function isKnownEmail(email: string): boolean {
  return email.trim().toLowerCase() === DEMO_ACCOUNT.email;
}

export const SESSION_COOKIE = 'harbour_session';

/** The ledger and logs contain `label`, never the value of the cookie. */
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

/** Returns the value of one cookie in a `Cookie` header. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key, ...rest] = pair.trim().split('=');
    if (key === name) return rest.join('=');
  }
  return undefined;
}
