import type { CaseContext } from '../case-runner.ts';
import type { SeededRandom } from '../plan/seeded-random.ts';

export type SurfaceKind = 'http' | 'browser';

/** What a fault may use. */
export interface Stage {
  readonly context: CaseContext;
  readonly random: SeededRandom;
  readonly surface: SurfaceKind;
}

/** A way to break the system. It hires workers, submits runs and breaks something; mending and waiting is not its business. */
export type Fault = (stage: Stage) => Promise<void>;
