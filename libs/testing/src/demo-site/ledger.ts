/** Kinds of recorded events. A closed set, so that a misspelled filter is rejected. */
export const LEDGER_KINDS = ['visit', 'login', 'order', 'search', 'contact', 'download', 'upload'] as const;

export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** A recorded event. `session` is the label of a login (`S-1`), never the cookie. */
export interface LedgerEntry {
  n: number;
  at: string;
  method: string;
  path: string;
  session: string | null;
  kind: LedgerKind;
  detail: Record<string, unknown>;
}

/** `since` selects entries with a larger `n`. */
export interface EntryFilter {
  kind?: LedgerKind | undefined;
  since?: number | undefined;
}

/**
 * Requests that the site received, in order and without duplicates: tests of exactly-once behavior rely on it. Numbers
 * continue after `clear()`, so a reader that stores the last `n` neither misses nor repeats an entry.
 */
export class Ledger {
  #entries: LedgerEntry[] = [];
  #last = 0;
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Number of the newest entry; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  add(entry: Omit<LedgerEntry, 'n' | 'at'>): void {
    this.#last += 1;
    this.#entries.push(structuredClone({ n: this.#last, at: this.#now().toISOString(), ...entry }));
  }

  /** Returns copies, oldest first. */
  entries(filter: EntryFilter = {}): LedgerEntry[] {
    const { kind, since = 0 } = filter;
    return structuredClone(this.#entries.filter((entry) => entry.n > since && (!kind || entry.kind === kind)));
  }

  /** @param lastNumber number of the last entry to delete (default: all) */
  clear(lastNumber = Infinity): void {
    this.#entries = this.#entries.filter(({ n }) => n > lastNumber);
  }
}
