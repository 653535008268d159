import type { ConformanceGroup } from './conformance-case.ts';
import { checkCases } from './cases/check.cases.ts';
import { clickCases } from './cases/click.cases.ts';
import { clickFrameCases } from './cases/click-frames.cases.ts';
import { clickHitCases } from './cases/click-hits.cases.ts';
import { clickScrollCases } from './cases/click-scroll.cases.ts';
import { clickWaitCases } from './cases/click-waits.cases.ts';
import { dragCases, hoverCases } from './cases/pointer.cases.ts';
import { selectCases } from './cases/select.cases.ts';
import { typeCases } from './cases/type.cases.ts';

/** The whole table. Add a new group here and a spec next to its cases. */
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
