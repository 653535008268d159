import type { ParsedElement } from '@pilothouse/contract/observation/screen-parse.schema';
import type { Context } from './runtime.port.ts';

/** Screenshot of a window. */
export interface ParserScreenshot {
  readonly jpeg: Buffer;
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
