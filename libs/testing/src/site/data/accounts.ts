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
  const known = isKnownEmail(email) && password === DEMO_ACCOUNT.password;
  return known ? DEMO_PROFILE : undefined;
}

export function isKnownEmail(email: string): boolean {
  return email.trim().toLowerCase() === DEMO_ACCOUNT.email;
}
