import type { ConformanceGroup } from './case.ts';
import { checkCases } from './cases/check.ts';
import { clickCases } from './cases/click.ts';
import { selectCases } from './cases/select.ts';
import { typeCases } from './cases/type.ts';

/** The whole table. A new group is added here and gets a spec next to its cases. */
export const groups: readonly ConformanceGroup[] = [clickCases, checkCases, selectCases, typeCases];
