import { parseTraceMark } from '../plan/random-workflow.ts';
import type { TraceFacts } from './stored-run.ts';

interface Entry {
  readonly n: number;
  readonly at: string;
  readonly path: string;
  readonly kind: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The ledger of the site, read on and on: every entry once. What was read is no longer kept there, and what was checked not here. */
export class LedgerReader {
  private readonly url: string;
  private readonly byRun = new Map<string, TraceFacts[]>();
  private last = 0;
  private reading: Promise<void> = Promise.resolve();

  /** @param url of the site itself, with nothing slow in between */
  constructor(url: string) {
    this.url = url;
  }

  /** All traces of some runs, up to now. */
  async tracesOf(runs: readonly string[]): Promise<TraceFacts[]> {
    // One that failed is no reason for those after it.
    this.reading = this.reading.catch(() => undefined).then(() => this.readOn());
    await this.reading;
    return runs.flatMap((run) => this.byRun.get(run) ?? []);
  }

  /** Forgets the traces of runs that nobody asks for again. */
  forget(runs: readonly string[]): void {
    for (const run of runs) this.byRun.delete(run);
  }

  private async readOn(): Promise<void> {
    const { entries, last } = await this.entries().catch(() => this.entries());
    this.last = last;
    for (const trace of entries.flatMap(traceOf)) {
      this.byRun.set(trace.run, [...(this.byRun.get(trace.run) ?? []), trace]);
    }
    // What stays there is taken away by the next one.
    await fetch(`${this.url}/__ledger?until=${last}`, { method: 'DELETE' }).catch(() => undefined);
  }

  private async entries(): Promise<{ entries: Entry[]; last: number }> {
    const response = await fetch(`${this.url}/__ledger?since=${this.last}`);
    return (await response.json()) as { entries: Entry[]; last: number };
  }
}

function traceOf({ kind, path, detail, at }: Entry): TraceFacts[] {
  const text = kind === 'contact' ? String(detail['message']) : kind === 'visit' ? path : '';
  const mark = parseTraceMark(text);
  return mark ? [{ kind: kind === 'contact' ? 'letter' : 'visit', at: Date.parse(at), ...mark }] : [];
}
