/** Scraped metrics: `name{label="value"}` with sorted labels → value. */
export class MetricsScrape {
  readonly text: string;
  readonly types = new Map<string, string>();
  readonly #values = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
    for (const line of text.split('\n')) {
      const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
      if (name !== undefined && type !== undefined) this.types.set(name, type);
      const [, series, labels, value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (series !== undefined) this.#values.set(keyOf(series, pairsOf(labels ?? '')), Number(value));
    }
  }

  static async of(url: string): Promise<MetricsScrape> {
    const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(15_000) });
    if (!answer.ok) throw new Error(`/metrics answered ${answer.status}`);
    return new MetricsScrape(await answer.text());
  }

  /** Value of exactly this series. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    return this.#values.get(keyOf(name, Object.entries(labels)));
  }

  /** Names of all series, with their labels. */
  get series(): string[] {
    return [...this.#values.keys()];
  }
}

const pairsOf = (text: string): [string, string][] =>
  [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value]);

const keyOf = (name: string, pairs: [string, string][]) =>
  `${name}{${pairs
    .map(([label, value]) => `${label}="${value}"`)
    .sort()
    .join(',')}}`;
