import { Program } from './child-program.ts';

/** A request that the demo site recorded. */
export interface LedgerEntry {
  readonly n: number;
  /** When, by the clock of the site: ISO 8601. */
  readonly at: string;
  readonly kind: string;
  readonly path: string;
  readonly session: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The demo site as a process. */
export class Site {
  readonly url: string;
  readonly program: Program;

  private constructor(url: string, program: Program) {
    this.url = url;
    this.program = program;
  }

  static async start(bundle: string): Promise<Site> {
    const program = await Program.start({ name: 'site', args: [bundle, '--port', '0'], env: {} });
    const url = await program.ready(
      'it prints its address',
      () => /open at (http\S+)/.exec(program.lines.join('\n'))?.[1],
    );
    return new Site(url, program);
  }

  /** Entries of one kind. */
  async ledger(kind: string): Promise<LedgerEntry[]> {
    const response = await fetch(`${this.url}/__ledger?kind=${kind}`);
    const { entries } = (await response.json()) as { entries: LedgerEntry[] };
    return entries;
  }
}
