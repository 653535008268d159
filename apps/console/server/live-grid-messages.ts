/** Where the wall is heard; a run a parameter `run`. */
export const LIVE_GRID_PATH = '/live/stream';

/** Runs that one wall films at a time. */
export const MAX_STREAMED_RUNS = 12;

/** What a wall is told of a run: a picture, or what it is at. */
export interface LiveGridMessage {
  run: string;
  /** JPEG, base64. */
  jpeg?: string;
  /** What its agent thinks, or the step it is at. */
  activity?: string;
}
