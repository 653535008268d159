import type { ActOutcome, Context } from '@pilothouse/core';
import type { Action, ActionName, ActionOf } from '@pilothouse/contract';
import type { Page } from 'playwright-core';

/** What an action works with: the page that is current, and the bounds of its time. */
export interface Hand extends Context {
  /** The newest page of the surface. It may change during a wait: a click can open a tab. */
  readonly page: Page;
  /** Throws when nothing may be sent any more; to be called in the very tick before input is sent. */
  guard(): void;
  /** To be called after input was sent: notices a navigation or a tab that the input started. */
  sent(): void;
  /** Waits until the page is not between two documents. @throws PilothouseError STEP_TIMED_OUT */
  settled(bound?: Pick<Context, 'signal' | 'deadline'>): Promise<void>;
  reveal(text: string, origin: string): Promise<string>;
  file(upload: string): Promise<string>;
}

/** Carries out one action. */
export type Handler<Name extends ActionName = ActionName> = (hand: Hand, action: ActionOf<Name>) => Promise<ActOutcome>;

/** One handler for each action. */
export type Handlers = { readonly [Name in ActionName]: Handler<Name> };

/** The outcome of an action without a target. */
export const NOTHING_LOCATED: ActOutcome = { located: null };

/** The handler of an action, told that it fits. */
export const handlerOf = (handlers: Handlers, action: Action) => handlers[action.action] as Handler;

/** The same hand with an earlier deadline. Its page stays the current one. */
export const withDeadline = (hand: Hand, deadline: number): Hand =>
  Object.create(hand, { deadline: { value: Math.min(hand.deadline, deadline) } }) as Hand;
