import type { ActionOutcome, Context } from '@pilothouse/core';
import type { Action, ActionName, ActionOf } from '@pilothouse/contract';
import type { Frame, Page } from 'playwright-core';
import type { RunClipboard } from './clipboard/run-clipboard.ts';
import type { TrackedPage } from './pages/tracked-page.ts';
import type { ElementRef } from './targeting/element-ref.ts';
import type { SurfacePages } from './pages/surface-pages.ts';
import type { SecretRedactor } from './pages/secret-redaction.ts';

/** What is marked in the image before an action. */
export interface MarkedElement {
  readonly one: ElementRef;
  readonly frame: Frame;
  /** In CSS pixels of the page. */
  readonly point: { readonly x: number; readonly y: number };
}

/** The image before an action. */
export interface PreActionImage {
  /** Whether it was not tried yet. */
  readonly isWanted: boolean;
  /** Takes it, once; an image that cannot be taken fails nothing. @throws the reason of the signal */
  take(hand: ActionContext, target: MarkedElement | null): Promise<void>;
}

/** What an action works with: the page that is current, and the bounds of its time. */
export interface ActionContext extends Context {
  /** The current page of the surface. It may change during a wait: a click can open a tab. */
  readonly page: Page;
  /** The same with what is known of it. */
  readonly tab: TrackedPage;
  readonly tabs: Pick<SurfacePages, 'all' | 'goTo' | 'answerNext' | 'files' | 'responses' | 'wantsFile'>;
  readonly clipboard: RunClipboard;
  /** What keeps secrets out of images. */
  readonly veil: SecretRedactor;
  /** Throws when nothing may be sent any more; to be called in the very tick before input is sent. */
  guard(): void;
  /** To be called instead of `sent` when the page let none of the input through since `guard`: the surface is where it was. */
  notSent(): void;
  /** To be called after input was sent: notices a navigation or a tab that the input started. */
  sent(): void;
  /** Waits until the page is not between two documents. @throws PilothouseError STEP_TIMED_OUT */
  settled(bound?: Pick<Context, 'signal' | 'deadline'>): Promise<void>;
  reveal(text: string, origin: string): Promise<string>;
  file(upload: string): Promise<string>;
  /** Whether a press is stopped when the name of its element changed since the look, however it is meant. */
  readonly checksName: boolean;
  /** Whether a dialog may be accepted, by what it asks; left out: any may. */
  readonly mayAccept?: (question: string) => boolean;
  /** The image before the action; null when nobody wants one. */
  readonly before: PreActionImage | null;
}

/** Carries out one action. */
export type ActionHandler<Name extends ActionName = ActionName> = (
  hand: ActionContext,
  action: ActionOf<Name>,
) => Promise<ActionOutcome>;

/** One handler for each action. */
export type ActionHandlers = { readonly [Name in ActionName]: ActionHandler<Name> };

/** The outcome of an action without a target. */
export const NO_TARGET: ActionOutcome = { located: null };

/** The handler of an action, told that it fits. */
export const handlerFor = (handlers: ActionHandlers, action: Action) => handlers[action.action] as ActionHandler;

/** The same hand with an earlier deadline. Its page stays the current one. */
export const withDeadline = (hand: ActionContext, deadline: number): ActionContext =>
  Object.create(hand, { deadline: { value: Math.min(hand.deadline, deadline) } }) as ActionContext;
