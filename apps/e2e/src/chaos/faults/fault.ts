import type { Scene } from '../case-runner.ts';
import type { Dice } from '../plan/seeded-random.ts';

export type SurfaceKind = 'http' | 'browser';

/** What a fault may use. */
export interface Stage {
  readonly scene: Scene;
  readonly dice: Dice;
  readonly surface: SurfaceKind;
}

/** A way to break the house. It hires workers, submits runs and breaks something; mending and waiting is not its business. */
export type Fault = (stage: Stage) => Promise<void>;
