/** Account of the demo site. */
export const account = { email: 'demo@harbour.example', password: 'harbour-demo' } as const;

/** Ledger entry of the demo site; `at` is the clock of this machine. */
export interface LedgerEntry {
  readonly n: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly kind: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Ledger entries after `since`. */
export async function ledger(site: string, since: number): Promise<{ entries: LedgerEntry[]; last: number }> {
  const response = await fetch(`${site}/__ledger?since=${since}`);
  return (await response.json()) as { entries: LedgerEntry[]; last: number };
}

export const timeOf = ({ at }: LedgerEntry): number => Date.parse(at);

/** The steps that log in. */
export const loginSteps = (site: string) => [
  { action: 'navigate', url: `${site}/login` },
  { action: 'fill', target: { label: 'E-mail' }, text: account.email },
  { action: 'fill', target: { label: 'Password' }, text: account.password },
  { action: 'click', target: { role: 'button', name: 'Log in' }, expect: { url: '/catalogue' } },
];

/** The same for a null surface. */
export const blindLoginSteps = (site: string) => loginSteps(site).map(({ expect: _, ...step }: LoginStep) => step);

type LoginStep = { action: string; expect?: unknown };

/** A step that never completes. */
export const waitForever = { action: 'waitFor', condition: { text: 'never shown' }, timeout: 600 };
