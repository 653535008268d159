import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { BrowserOptions } from '@pilothouse/contract/workflow/browser-options.schema';

// Table of facts about actions: one page, some actions, one outcome. Most cases come from the tests of Playwright.
// `bench/CONFORMANCE.md` is generated from it: `node libs/surface/browser/src/conformance/write-conformance.ts`.

/** Result of the last action, and the notes of the page. */
export interface Outcome {
  /** Error code of the last action. Omitted if it succeeds. */
  readonly error?: string;
  /** Part of the message of that error. */
  readonly message?: string;
  /** All notes of the page, separated by spaces. Omitted if there are none. */
  readonly notes?: string;
  /** Effect of the last action. Omitted if the surface gives no reason for it. */
  readonly effect?: 'unverifiable' | 'none';
  /** Path of the current page. Omitted if it is not checked. */
  readonly path?: string;
  /** Names of the files that were stored. Omitted if they are not checked. */
  readonly files?: readonly string[];
}

/** Response other than a page with status 200. */
export interface CaseResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Null: the server never answers. */
  readonly body?: string | null;
}

export interface ConformanceCase {
  /** Behavior of the page in a few words. Unique in its group. */
  readonly name: string;
  /** Playwright test file with the case; null if it is not from Playwright. */
  readonly from: string | null;
  /** Body of the page. Its scripts call `note(text)`. */
  readonly html: string;
  /**
   * Other documents by path, such as `/frame`. Links and frames refer to them as `PATH/frame`; `OTHER/frame` is the
   * same document at another origin. Scripts of frames at any origin can call `note`.
   */
  readonly documents?: Readonly<Record<string, string>>;
  /** Other responses by path. `PATH/` and `OTHER/` are replaced in headers. */
  readonly responses?: Readonly<Record<string, CaseResponse>>;
  readonly viewport?: BrowserOptions['viewport'];
  /** URLs may begin with `PATH/` or `OTHER/`. Uploads can use the files `a.txt` and `b.txt`. */
  readonly steps: readonly Action[];
  /** Milliseconds of the last action (default: 10000). A case that ends with an error takes all of them. */
  readonly timeoutMs?: number;
  /** Behavior of Playwright in a few words, such as `clicks`. */
  readonly playwright: string;
  /** Behavior of our action in a few words. Omitted if it is the same. */
  readonly ours?: string;
  /** Reason for the difference. Required with `ours`. */
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

/** Presses a key at the focus, or on an element. */
export const press = (key: string, selector?: string): Action => ({
  action: 'press',
  key,
  ...(selector !== undefined && { target: { css: selector } }),
});

/** A target in the document of a frame. */
export const inFrame = (selector: string, frame = 'iframe') => ({ css: selector, within: { css: frame } });
