import type { ConformanceGroup } from './case.ts';
import { clickCases } from './cases/click.ts';

/** The whole table. A new group is added here and gets a spec next to its cases. */
export const groups: readonly ConformanceGroup[] = [clickCases];
