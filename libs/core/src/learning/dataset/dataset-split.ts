import type { DatasetSplit } from '@pilothouse/contract/learning/dataset-example.schema';
import type { SplitShares } from '@pilothouse/contract/learning/dataset.schema';
import { hashFraction } from '../hash-fraction.ts';

/* The split of a dataset. All steps of a workflow on a site are in one part, so that tests never contain training data. */

/** Key of the steps that stay together. */
export const splitGroup = ({ workflow, site }: { readonly workflow: string; readonly site: string }): string =>
  JSON.stringify([workflow, site.toLowerCase()]);

/** Part of a group. It depends on the group, the seed and the shares only. */
export function splitOf(group: string, seed: number, { train, validation }: SplitShares): DatasetSplit {
  const position = hashFraction(`${seed}:${group}`);
  if (position < train) return 'train';
  return position < train + validation ? 'validation' : 'test';
}
