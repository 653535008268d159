/** Values of a label: a closed list, or an open set of which the first `maxValues` values are distinguished. */
export type LabelValues = readonly string[] | { readonly maxValues: number };

/** Labels of a metric. Never use run ids, URLs or other unbounded values: each value creates a time series. */
export type LabelSpec = Readonly<Record<string, LabelValues>>;

/** Values for the labels of a metric. */
export type Labels<Spec extends LabelSpec> = {
  readonly [Name in keyof Spec]: Spec[Name] extends readonly (infer Value extends string)[] ? Value : string;
};

/** Replaces values beyond the bound. */
export const OTHER_LABEL_VALUE = 'other';

/** Keeps the labels of one metric within their bounds. */
export class LabelBounds {
  readonly #spec: LabelSpec;
  readonly #seenValues = new Map<string, Set<string>>();

  constructor(spec: LabelSpec) {
    this.#spec = spec;
  }

  /** Replaces label values beyond their bound by `other`. */
  bound(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
    return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, this.#bounded(name, value)]));
  }

  #bounded(name: string, value: string): string {
    const allowed = this.#spec[name];
    if (allowed === undefined) return OTHER_LABEL_VALUE;
    if ('maxValues' in allowed) {
      const values = this.#seenValues.get(name) ?? new Set();
      this.#seenValues.set(name, values);
      if (values.size < allowed.maxValues) values.add(value);
      return values.has(value) ? value : OTHER_LABEL_VALUE;
    }
    return allowed.includes(value) ? value : OTHER_LABEL_VALUE;
  }
}

/** Returns every combination of closed lists. Empty if a label is open or there are too many combinations. */
export function labelCombinations(spec: LabelSpec, maxCombinations = 200): Record<string, string>[] {
  let combinations: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(spec)) {
    if ('maxValues' in values || combinations.length * values.length > maxCombinations) return [];
    combinations = combinations.flatMap((labels) => values.map((value) => ({ ...labels, [name]: value })));
  }
  return combinations;
}
