/** Path of the live grid stream. Each `run` parameter adds a run. */
export const LIVE_GRID_PATH = '/live/stream';

/** Maximum number of runs in one stream. */
export const MAX_STREAMED_RUNS = 12;

/** Update of a run in the live grid. */
export interface LiveGridMessage {
  run: string;
  /** JPEG, base64. */
  jpeg?: string;
  /** Current thought of the agent, or the current step. */
  activity?: string;
}
