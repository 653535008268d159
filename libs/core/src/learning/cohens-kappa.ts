/** Agreement of two reviewers. */
export interface Agreement {
  /** Items that both labeled. */
  readonly count: number;
  /** Share of items with the same label, from 0 to 1; null: no items. */
  readonly observed: number | null;
  /** Cohen's κ: 1 is full agreement, 0 is agreement by chance. null: no items, or both used only the same label. */
  readonly kappa: number | null;
}

/**
 * Cohen's κ of two reviewers: (observed − chance) / (1 − chance). Chance is the agreement of independent reviewers with
 * the same shares of labels.
 * @param pairs the labels of both reviewers for each item
 */
export function cohensKappa(pairs: readonly (readonly [string, string])[]): Agreement {
  const count = pairs.length;
  if (count === 0) return { count, observed: null, kappa: null };
  const [first, second] = [countBy(pairs, 0), countBy(pairs, 1)];
  const observed = pairs.filter(([firstLabel, secondLabel]) => firstLabel === secondLabel).length / count;
  let chance = 0;
  for (const [label, times] of first) chance += (times / count) * ((second.get(label) ?? 0) / count);
  return { count, observed, kappa: chance === 1 ? null : (observed - chance) / (1 - chance) };
}

function countBy(pairs: readonly (readonly [string, string])[], reviewer: 0 | 1): Map<string, number> {
  const counts = new Map<string, number>();
  for (const pair of pairs) counts.set(pair[reviewer], (counts.get(pair[reviewer]) ?? 0) + 1);
  return counts;
}

/** A label of a reviewer for an item. */
export interface ReviewerLabel {
  readonly item: string;
  readonly reviewer: string;
  readonly label: string;
}

/** Agreement of each reviewer pair with common items, by the names of the reviewers. @param labels one label per reviewer and item */
export function reviewerAgreements(
  labels: readonly ReviewerLabel[],
): (Agreement & { readonly reviewers: readonly [string, string] })[] {
  const byItem = Map.groupBy(labels, ({ item }) => item);
  const pairs = new Map<string, { reviewers: [string, string]; labels: [string, string][] }>();
  for (const itemLabels of byItem.values()) {
    const sorted = itemLabels.toSorted((a, b) => (a.reviewer < b.reviewer ? -1 : 1));
    for (const [index, first] of sorted.entries())
      for (const second of sorted.slice(index + 1)) {
        const key = JSON.stringify([first.reviewer, second.reviewer]);
        const pair = pairs.get(key) ?? { reviewers: [first.reviewer, second.reviewer], labels: [] };
        pair.labels.push([first.label, second.label]);
        pairs.set(key, pair);
      }
  }
  return [...pairs.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, pair]) => ({ reviewers: pair.reviewers, ...cohensKappa(pair.labels) }));
}
