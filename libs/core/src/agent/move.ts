import type { Action, Json } from '@pilothouse/contract';

/** What the agent says it has come to, and how that can be seen. */
export interface Claim {
  /** What the goal was asked for; null: nothing. */
  readonly answer: Json;
  /** What the title or the address of the page has in it now; null: it did not say. */
  readonly anchor: string | null;
  /** Texts that the page shows because the goal is met. */
  readonly indicators: readonly string[];
}

/** One thing that the agent wants, whichever way a model wrote it. */
export type Move =
  | { readonly kind: 'act'; readonly action: Action }
  /** To see the text of the whole page. */
  | { readonly kind: 'read' }
  | { readonly kind: 'done'; readonly claim: Claim }
  | { readonly kind: 'fail'; readonly reason: string }
  | { readonly kind: 'ask'; readonly question: string };

/** What a model said, read. What was not understood is a problem and never an action. */
export interface Reading {
  readonly thought: string;
  readonly moves: readonly Move[];
  /** Sentences for the model: what of its answer could not be used. */
  readonly problems: readonly string[];
}

/** Most actions of one turn. */
export const MAX_MOVES = 8;
