/** Values of a label: a closed list, or names that come up while the process runs, of which only the first `most` are told apart. */
export type LabelValues = readonly string[] | { readonly maxValues: number };

/** Labels of a metric. Never a run, a URL or anything else without a bound: each value is a time series for ever. */
export type LabelSpec = Readonly<Record<string, LabelValues>>;

/** Values for the labels of a metric. */
export type Labels<Spec extends LabelSpec> = {
  readonly [Name in keyof Spec]: Spec[Name] extends readonly (infer Value extends string)[] ? Value : string;
};

/** What stands for the values beyond the bound. */
export const OTHER_LABEL_VALUE = 'other';

/** Keeps the labels of one metric within their bounds. */
export class LabelBounds {
  readonly #spec: LabelSpec;
  readonly #seen = new Map<string, Set<string>>();

  constructor(spec: LabelSpec) {
    this.#spec = spec;
  }

  /** The labels with what lies beyond a bound as `other`. */
  within(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
    return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, this.#bounded(name, value)]));
  }

  #bounded(name: string, value: string): string {
    const values = this.#spec[name];
    if (values === undefined) return OTHER_LABEL_VALUE;
    if ('maxValues' in values) {
      const seen = this.#seen.get(name) ?? new Set();
      this.#seen.set(name, seen);
      if (seen.size < values.maxValues) seen.add(value);
      return seen.has(value) ? value : OTHER_LABEL_VALUE;
    }
    return values.includes(value) ? value : OTHER_LABEL_VALUE;
  }
}

/** Every combination of closed lists; none when a label is open or the combinations are many. */
export function labelCombinations(spec: LabelSpec, most = 200): Record<string, string>[] {
  let all: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(spec)) {
    if ('maxValues' in values || all.length * values.length > most) return [];
    all = all.flatMap((labels) => values.map((value) => ({ ...labels, [name]: value })));
  }
  return all;
}
