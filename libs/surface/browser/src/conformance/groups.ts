import type { ConformanceGroup } from './case.ts';
import { checkCases } from './cases/check.ts';
import { clickCases } from './cases/click.ts';
import { clickFrameCases } from './cases/click-frames.ts';
import { clickHitCases } from './cases/click-hits.ts';
import { clickScrollCases } from './cases/click-scroll.ts';
import { clickWaitCases } from './cases/click-waits.ts';
import { dragCases, hoverCases } from './cases/pointer.ts';
import { selectCases } from './cases/select.ts';
import { typeCases } from './cases/type.ts';

/** The whole table. A new group is added here and gets a spec next to its cases. */
export const groups: readonly ConformanceGroup[] = [
  clickCases,
  clickWaitCases,
  clickHitCases,
  clickFrameCases,
  clickScrollCases,
  hoverCases,
  dragCases,
  checkCases,
  selectCases,
  typeCases,
];
