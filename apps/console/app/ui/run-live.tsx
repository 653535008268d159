import type { RunStatus } from '@pilothouse/contract';
import { RunFilm } from './run-film.tsx';
import { RunHands } from './run-hands.tsx';
import { RunWheel } from './run-wheel.tsx';
import type { WheelHandle } from './use-wheel.ts';

export interface RunLiveProps {
  run: string;
  status: RunStatus;
  wheel: WheelHandle;
  /** Whether the viewer may drive. */
  may: boolean;
}

/** What the browser of a run shows now, and the wheel. */
export const RunLive = ({ run, status, wheel, may }: RunLiveProps) => (
  <div>
    <RunWheel wheel={wheel} status={status} may={may} />
    <RunFilm run={run}>{wheel.drives && <RunHands send={wheel.send} />}</RunFilm>
  </div>
);
