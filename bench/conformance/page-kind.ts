import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Condition } from '@pilothouse/contract/actions/condition.schema';

/** One user action on a kind of page. */
export interface Case {
  /** Name of the tested action. */
  readonly name: string;
  readonly steps: readonly Action[];
  /** Expected condition. */
  readonly then: Condition;
  /** Known reason for a failure. The case runs and counts as failed. */
  readonly cannot?: string;
}

/** A kind of page. */
export interface Kind {
  readonly name: string;
  /**
   * Origin of a page. `theirs`: a page of a package. `widgets`: a test page that uses a package. `pattern`: a test page
   * by the WAI-ARIA Authoring Practices. `ours`: another test page.
   */
  readonly by: 'theirs' | 'widgets' | 'pattern' | 'ours';
  readonly html?: string;
  /** Path of a page of a package. */
  readonly path?: string;
  /** Condition that holds when the page is ready. */
  readonly ready?: string;
  readonly cases: readonly Case[];
}

/** A page with this body; `#out` shows the result. */
export const page = (body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Conformance</title><body><output id="out" style="display:block;height:24px">-</output><script>const out = document.getElementById('out'); const say = (what) => { out.textContent = String(what); };</script>${body}</body></html>`;

/** Condition that holds when the page shows this result. */
export const outputIs = (text: string): Condition => ({ visible: { css: '#out', hasText: text } });

export const css = (selector: string) => ({ css: selector });

/** Loads a script or a style of a package. */
export const script = (path: string) => `<script src="/npm/${path}"></script>`;
export const style = (path: string) => `<link rel="stylesheet" href="/npm/${path}">`;
