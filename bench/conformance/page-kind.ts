import type { Action, Condition } from '@pilothouse/contract';

/** One thing that people do on a page of a kind. */
export interface Case {
  /** The action that is looked at, in words. */
  readonly name: string;
  readonly steps: readonly Action[];
  /** What is to be true then. */
  readonly then: Condition;
  /** Why it cannot be done; it is tried all the same, and counts as not done. */
  readonly cannot?: string;
}

/** A kind of page. */
export interface Kind {
  readonly name: string;
  /** Whose it is: `theirs` came with a package, `widgets` is their code in a body of ours, `pattern` follows the WAI-ARIA Authoring Practices, `ours` was written for this. */
  readonly by: 'theirs' | 'widgets' | 'pattern' | 'ours';
  readonly html?: string;
  /** Path of a page that a package brings. */
  readonly path?: string;
  /** What is there once the page is ready. */
  readonly ready?: string;
  readonly cases: readonly Case[];
}

/** A page with this body; `out` is where it says what happened. */
export const page = (body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Conformance</title><body><output id="out" style="display:block;height:24px">-</output><script>const out = document.getElementById('out'); const say = (what) => { out.textContent = String(what); };</script>${body}</body></html>`;

/** The page said this. */
export const outputIs = (text: string): Condition => ({ visible: { css: '#out', hasText: text } });

export const css = (selector: string) => ({ css: selector });

/** Loads a script or a style of a package. */
export const script = (path: string) => `<script src="/npm/${path}"></script>`;
export const style = (path: string) => `<link rel="stylesheet" href="/npm/${path}">`;
