import { parseTraceOrigin } from '../plan/random-workflow.ts';
import type { TraceFacts } from './stored-run.ts';

interface Entry {
  readonly n: number;
  readonly at: string;
  readonly path: string;
  readonly kind: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * Reads the ledger of the site incrementally: every entry once. Entries are deleted at the site once read, and here
 * once checked.
 */
export class LedgerReader {
  private readonly url: string;
  private readonly byRun = new Map<string, TraceFacts[]>();
  private last = 0;
  private reading: Promise<void> = Promise.resolve();

  /** @param url address of the site itself, without the slow gate */
  constructor(url: string) {
    this.url = url;
  }

  /** All entries of some runs, up to now. */
  async tracesOf(runs: readonly string[]): Promise<TraceFacts[]> {
    // A failed read must not fail later ones.
    this.reading = this.reading.catch(() => undefined).then(() => this.readOn());
    await this.reading;
    return runs.flatMap((run) => this.byRun.get(run) ?? []);
  }

  /** Drops the entries of runs that no case needs. */
  forget(runs: readonly string[]): void {
    for (const run of runs) this.byRun.delete(run);
  }

  private async readOn(): Promise<void> {
    const { entries, last } = await this.entries().catch(() => this.entries());
    this.last = last;
    for (const trace of entries.flatMap(traceOf)) {
      this.byRun.set(trace.run, [...(this.byRun.get(trace.run) ?? []), trace]);
    }
    // Entries that remain are deleted by the next read.
    await fetch(`${this.url}/__ledger?until=${last}`, { method: 'DELETE' }).catch(() => undefined);
  }

  private async entries(): Promise<{ entries: Entry[]; last: number }> {
    const response = await fetch(`${this.url}/__ledger?since=${this.last}`);
    return (await response.json()) as { entries: Entry[]; last: number };
  }
}

function traceOf({ kind, path, detail, at }: Entry): TraceFacts[] {
  const text = kind === 'contact' ? String(detail['message']) : kind === 'visit' ? path : '';
  const origin = parseTraceOrigin(text);
  return origin ? [{ kind: kind === 'contact' ? 'letter' : 'visit', at: Date.parse(at), ...origin }] : [];
}
