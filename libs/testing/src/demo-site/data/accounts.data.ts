import { randomUUID } from 'node:crypto';

export interface Account {
  email: string;
  name: string;
  company: string;
}

/** The demo login. It is printed on the login page: it protects nothing. */
export const DEMO_ACCOUNT = { email: 'demo@harbour.example', password: 'harbour-demo' } as const;

const DEMO_PROFILE: Account = { email: DEMO_ACCOUNT.email, name: 'Robin Vance', company: 'Northgate Shipping' };

/** The account when both match, else nothing: the answer does not say which of the two was wrong. */
export function authenticate(email: string, password: string): Account | undefined {
  const isValid = isKnownEmail(email) && password === DEMO_ACCOUNT.password;
  return isValid ? DEMO_PROFILE : undefined;
}

export function isKnownEmail(email: string): boolean {
  return email.trim().toLowerCase() === DEMO_ACCOUNT.email;
}

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
