import type { CaseContext } from '../case-context.ts';
import type { SeededRandom } from '../plan/seeded-random.ts';

export type SurfaceKind = 'http' | 'browser';

/** Tools of a fault. */
export interface Stage {
  readonly context: CaseContext;
  readonly random: SeededRandom;
  readonly surface: SurfaceKind;
}

/**
 * A fault starts workers, submits runs and breaks something. It does not restore anything or wait for the end of the
 * runs.
 */
export type Fault = (stage: Stage) => Promise<void>;
