/** Milliseconds of silence after which a stream is given up: providers that think long say so meanwhile, or begin within that. */
export const STREAM_SILENCE_MS = 60_000;

/** Thrown where a stream ends before the answer does. */
export class StreamInterrupted extends Error {
  constructor() {
    super('the answer broke off');
  }
}
