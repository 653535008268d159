import type { ParsedElement } from '@pilothouse/contract/observation/screen-parse.schema';
import type { Context } from './runtime.port.ts';

/** Screenshot of a window. */
export interface ParserScreenshot {
  readonly jpeg: Buffer;
  /** SHA-256, in hex, of the perceptual hash of the screenshot, its size and its text. Screenshots with one key have the same elements. */
  readonly key: string;
}

/** Finds elements in screenshots, for windows that publish none. */
export interface ScreenParser {
  /** False: no parser is configured. */
  readonly isAvailable: boolean;
  /**
   * @returns at most `MAX_PARSED_ELEMENTS`
   * @throws PilothouseError UNAVAILABLE (the parser failed, or its answer is unusable), RATE_LIMITED, PAYLOAD_TOO_LARGE, LEASE_LOST, the
   * reason of the signal
   */
  parse(screenshot: ParserScreenshot, context: Pick<Context, 'signal' | 'deadline'>): Promise<readonly ParsedElement[]>;
}
