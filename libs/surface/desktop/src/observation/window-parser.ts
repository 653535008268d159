import type { ScreenParser } from '@pilothouse/core/ports/screen-parser.port';
import { delayWithin, timersOf, type Deadline } from '@pilothouse/core/time/deadlines';
import { createHash } from 'node:crypto';
import type { AccessibleNode } from '../accessibility/accessible-node.ts';
import type { SessionClient } from '../session/session-client.ts';
import { isEqualRectangle } from '../x/rectangle.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import { parsedNodes } from './parsed-nodes.ts';
import { textOfLine, type ScreenLine } from '../screen/screen-text.ts';

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
  /** Screenshot that the elements come from; null after a failure. */
  readonly screenshotId: number | null;
  /** True: a target looks different now. The next read parses again. */
  readonly isOutdated: boolean;
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
   * the second. false: returns the elements of the last parse, which can be out of date; a click notices that.
   * @returns null if no parser is configured, or none of its results fits this window at its current bounds
   * @throws the reason of the signal; other failures are part of the result
   */
  async read(window: WindowFacts, context: Deadline, isFresh: boolean): Promise<ParsedWindow | null> {
    const parser = this.#parser;
    if (!parser?.isAvailable) return null;
    if (isFresh || this.#lastOf(window)?.isOutdated) await this.#refresh(parser, window, context);
    return this.#lastOf(window);
  }

  /** Makes the next read parse again, although the screenshot may be similar. */
  markOutdated(): void {
    if (this.#last) this.#last = { ...this.#last, isOutdated: true };
  }

  #lastOf({ id, bounds }: WindowFacts): LastParse | null {
    const last = this.#last;
    return last?.window.id === id && isEqualRectangle(last.window.bounds, bounds) ? last : null;
  }

  async #refresh(parser: ScreenParser, window: WindowFacts, context: Deadline): Promise<void> {
    const { signal } = context;
    const timers = timersOf(context);
    const last = this.#lastOf(window);
    const ageMs = last ? timers.monotonic() - last.parsedAtMs : Infinity;
    if (last?.isFailed && ageMs < RETRY_MS) return;
    const { version: screenVersion } = await this.#session.call(
      'waitForChange',
      { version: -1, timeoutMs: 0 },
      { signal },
    );
    if (last && !last.isFailed && !last.isOutdated && last.screenVersion === screenVersion) return;
    // A click must not go to a place of the last parse after the screen has changed.
    if (ageMs < MIN_INTERVAL_MS) {
      await delayWithin(MIN_INTERVAL_MS - ageMs, context);
      return this.#refresh(parser, window, context);
    }
    const parsedAtMs = timers.monotonic();
    try {
      const [screenshot, lines] = await Promise.all([
        this.#session.call(
          'windowScreenshot',
          { region: window.bounds, keptId: last?.screenshotId ?? null },
          { signal },
        ),
        this.#readText(window, signal),
      ]);
      if (!screenshot) return;
      const { bounds, hash, jpeg, screenshotId } = screenshot;
      const facts = [bounds.width, bounds.height, hash, lines.map(textOfLine)];
      // The perceptual hash does not change for each small icon that moves.
      const key = keyOf(last?.isOutdated ? [...facts, digestOf(jpeg)] : facts);
      if (last && last.key === key) {
        // An outdated parse has this key only if the whole image is the same.
        const current = last.isOutdated && { screenshotId, isOutdated: false };
        this.#last = { ...last, screenVersion, parsedAtMs, ...current };
        return;
      }
      const deadline = Math.min(context.deadline, parsedAtMs + PARSE_TIMEOUT_MS);
      const elements = await parser.parse({ jpeg: Buffer.from(jpeg) }, { signal, deadline });
      const nodes = parsedNodes(elements, bounds, screenshotId);
      const state = { isFailed: false, isOutdated: false };
      this.#last = { window, key, screenVersion, parsedAtMs, screenshotId, nodes, ...state };
    } catch {
      signal.throwIfAborted();
      const state = { isFailed: true, isOutdated: false };
      const failedAtMs = timers.monotonic();
      this.#last = {
        window,
        key: null,
        screenVersion,
        parsedAtMs: failedAtMs,
        screenshotId: null,
        nodes: [],
        ...state,
      };
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

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const keyOf = (facts: unknown): string => digestOf(Buffer.from(JSON.stringify(facts)));
