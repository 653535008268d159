import type { Action, BrowserOptions } from '@pilothouse/contract';

/*
 * The table of facts about actions: one page, some actions, one outcome. Most cases come from the tests of Playwright, as facts.
 * `bench/CONFORMANCE.md` is written from it: `node libs/surface/browser/src/conformance/write-conformance.ts`.
 */

/** What the last action came to, and what the page noted by then. */
export interface Outcome {
  /** Code of the error of the last action. Left out: it has none. */
  readonly error?: string;
  /** A part of the message of that error. */
  readonly message?: string;
  /** Everything that the page noted, separated by spaces. Left out: nothing. */
  readonly notes?: string;
}

export interface ConformanceCase {
  /** What the page does, in a few words. Unique in its group. */
  readonly name: string;
  /** Test file of Playwright that has the case; null: it is not from Playwright. */
  readonly from: string | null;
  /** Body of the page. Its scripts call `note(text)`. */
  readonly html: string;
  /**
   * Other documents by path, such as `/frame`. Links and frames name them by `PATH/frame`; `OTHER/frame` is the same at another origin.
   * Scripts of frames at any origin call `note` as well.
   */
  readonly documents?: Readonly<Record<string, string>>;
  readonly viewport?: BrowserOptions['viewport'];
  readonly steps: readonly Action[];
  /** Milliseconds of the last action (default: 10000). A case that ends with an error takes all of them. */
  readonly timeoutMs?: number;
  /** What Playwright does, in a few words, such as `clicks`. */
  readonly playwright: string;
  /** What the action here does, in a few words; left out: the same. */
  readonly ours?: string;
  /** Why that is another outcome. Required with `ours`. */
  readonly deviation?: string;
  readonly outcome: Outcome;
}

/** Cases of one action. */
export interface ConformanceGroup {
  readonly name: string;
  readonly cases: readonly ConformanceCase[];
}

export const css = (selector: string) => ({ css: selector });

/** A button that notes `clicked`. @param style CSS of it */
export const button = (style = '', content = 'Go') =>
  `<button id="go" style="${style}" onclick="note('clicked')">${content}</button>`;

export const click = (selector: string): Action => ({ action: 'click', target: { css: selector } });

/** A target in the document of a frame. */
export const inFrame = (selector: string, frame = 'iframe') => ({ css: selector, within: { css: frame } });
