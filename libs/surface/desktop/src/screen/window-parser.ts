import { delayWithin, type Deadline, type ScreenParser } from '@pilothouse/core';
import { createHash } from 'node:crypto';
import type { AccessibleNode } from '../accessibility/accessible-node.ts';
import type { SessionClient } from '../session/session-client.ts';
import { isEqualRectangle } from '../x/rectangle.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import { parsedNodes } from './parsed-nodes.ts';
import { textOfLine, type ScreenLine } from './screen-text.ts';

/** Milliseconds to parse one screenshot. */
const PARSE_TIMEOUT_MS = 20_000;

/** Milliseconds for the text of the screenshot, which is a part of its key. */
const KEY_OCR_TIMEOUT_MS = 3_000;

/** Minimum milliseconds between two parses of a window. */
const MIN_INTERVAL_MS = 1_000;

/** Milliseconds before a retry after a failure. */
const RETRY_MS = 5_000;

/** Elements that the screen parser found in a window. */
interface ParsedWindow {
  readonly nodes: readonly AccessibleNode[];
  /** True: the parser failed, and there are no elements. */
  readonly isFailed: boolean;
}

interface LastParse extends ParsedWindow {
  readonly window: WindowFacts;
  /** Key of the screenshot; null after a failure. */
  readonly key: string | null;
  /** Version of the screen right before the screenshot was taken. */
  readonly screenVersion: number;
  readonly parsedAtMs: number;
}

/** Asks the screen parser about a window that publishes no elements. An unchanged window is not parsed again. */
export class WindowParser {
  readonly #session: SessionClient;
  readonly #parser: ScreenParser | undefined;
  #last: LastParse | null = null;

  constructor(session: SessionClient, parser: ScreenParser | undefined) {
    this.#session = session;
    this.#parser = parser;
  }

  /**
   * @param isFresh true: parses a changed window, 1 s after the last parse at the earliest, after a failure 5 s; waits for
   * the second. false: returns the elements of the last parse, which can be out of date.
   * @returns null if no parser is configured, or none of its results fits this window at its current bounds
   * @throws the reason of the signal; other failures are part of the result
   */
  async read(window: WindowFacts, context: Deadline, isFresh: boolean): Promise<ParsedWindow | null> {
    const parser = this.#parser;
    if (!parser?.isAvailable) return null;
    if (isFresh) await this.#refresh(parser, window, context);
    return this.#lastOf(window);
  }

  #lastOf({ id, bounds }: WindowFacts): LastParse | null {
    const last = this.#last;
    return last?.window.id === id && isEqualRectangle(last.window.bounds, bounds) ? last : null;
  }

  async #refresh(parser: ScreenParser, window: WindowFacts, context: Deadline): Promise<void> {
    const { signal } = context;
    const last = this.#lastOf(window);
    const ageMs = last ? performance.now() - last.parsedAtMs : Infinity;
    if (last?.isFailed && ageMs < RETRY_MS) return;
    const { version: screenVersion } = await this.#session.call(
      'waitForChange',
      { version: -1, timeoutMs: 0 },
      { signal },
    );
    if (last && !last.isFailed && last.screenVersion === screenVersion) return;
    // A click must not go to a place of the last parse after the screen has changed.
    if (ageMs < MIN_INTERVAL_MS) {
      await delayWithin(MIN_INTERVAL_MS - ageMs, context);
      return this.#refresh(parser, window, context);
    }
    const parsedAtMs = performance.now();
    try {
      const [screenshot, lines] = await Promise.all([
        this.#session.call('windowScreenshot', { region: window.bounds }, { signal }),
        this.#readText(window, signal),
      ]);
      if (!screenshot) return;
      const { width, height } = screenshot.bounds;
      const key = keyOf([width, height, screenshot.hash, lines.map(textOfLine)]);
      if (last && last.key === key) {
        this.#last = { ...last, screenVersion, parsedAtMs };
        return;
      }
      const deadline = Math.min(context.deadline, parsedAtMs + PARSE_TIMEOUT_MS);
      const elements = await parser.parse({ jpeg: Buffer.from(screenshot.jpeg), key }, { signal, deadline });
      const nodes = parsedNodes(elements, screenshot.bounds);
      this.#last = { window, key, screenVersion, parsedAtMs, nodes, isFailed: false };
    } catch {
      signal.throwIfAborted();
      this.#last = { window, key: null, screenVersion, parsedAtMs: performance.now(), nodes: [], isFailed: true };
    }
  }

  /** Small text changes may not change the perceptual hash. The OCR text makes the keys differ. */
  #readText(window: WindowFacts, signal: AbortSignal): Promise<readonly ScreenLine[]> {
    const args = { region: window.bounds, timeoutMs: KEY_OCR_TIMEOUT_MS };
    return this.#session
      .call('readScreenText', args, { signal, timeoutMs: KEY_OCR_TIMEOUT_MS + 1_000 })
      .catch((): readonly ScreenLine[] => []);
  }
}

const keyOf = (facts: unknown): string => createHash('sha256').update(JSON.stringify(facts)).digest('hex');
