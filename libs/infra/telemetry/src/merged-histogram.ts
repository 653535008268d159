interface Merged {
  readonly labels: Readonly<Record<string, string>>;
  readonly counts: number[];
  sum: number;
}

/**
 * A histogram that merges observations of other processes, in the text format. prom-client's own takes one observation
 * at a time.
 */
export class MergedHistogram {
  readonly name: string;
  private readonly help: string;
  private readonly buckets: readonly number[];
  private readonly series = new Map<string, Merged>();

  constructor(name: string, help: string, buckets: readonly number[]) {
    this.name = name;
    this.help = help;
    this.buckets = buckets;
  }

  /** @param counts observations per bucket; the last is beyond all buckets @throws Error */
  merge(labels: Readonly<Record<string, string>>, counts: readonly number[], sum: number): void {
    if (counts.length !== this.buckets.length + 1) throw new Error(`${this.name} has ${this.buckets.length} buckets`);
    const key = JSON.stringify(labels);
    const series = this.series.get(key) ?? { labels, counts: counts.map(() => 0), sum: 0 };
    this.series.set(key, series);
    counts.forEach((count, index) => (series.counts[index] = (series.counts[index] ?? 0) + count));
    series.sum += sum;
  }

  text(): string {
    const lines = [`# HELP ${this.name} ${escaped(this.help)}`, `# TYPE ${this.name} histogram`];
    for (const { labels, counts, sum } of this.series.values()) {
      let below = 0;
      counts.forEach((count, index) => {
        below += count;
        const le = this.buckets[index]?.toString() ?? '+Inf';
        lines.push(`${this.name}_bucket${braced({ le, ...labels })} ${below}`);
      });
      lines.push(`${this.name}_sum${braced(labels)} ${sum}`, `${this.name}_count${braced(labels)} ${below}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

function braced(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
