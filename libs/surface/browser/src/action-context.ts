import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { Deadline } from '@pilothouse/core/time/deadlines';
import type { Timers } from '@pilothouse/core/time/timers';
import type { ActionOutcome } from '@pilothouse/core/ports/surface-action.port';
import type { Action, ActionName, ActionOf } from '@pilothouse/contract/actions/action-sets';
import { surfaceSupport, type BrowserActionName } from '@pilothouse/contract/actions/surface-support';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Frame, Page } from 'playwright-core';
import type { ExpectedText } from './actions/typed-text.ts';
import type { RunClipboard } from './clipboard/run-clipboard.ts';
import type { TrackedPage } from './pages/tracked-page.ts';
import type { ElementRef } from './pages/element-ref.ts';
import type { SurfacePages } from './pages/surface-pages.ts';
import type { SecretRedactor } from './pages/secret-redaction.ts';
import type { LocatedTarget } from './targeting/located-target.ts';

/** Element that is marked in the screenshot before an action. */
export interface MarkedElement {
  readonly ref: ElementRef;
  readonly frame: Frame;
  /** In CSS pixels of the page. */
  readonly point: { readonly x: number; readonly y: number };
}

/** Screenshot before an action. */
export interface PreActionImage {
  /** False once the screenshot was attempted. */
  readonly isPending: boolean;
  /** Takes the screenshot once. A failed screenshot does not fail the action. @throws the reason of the signal */
  capture(ctx: ActionContext, target: MarkedElement | null): Promise<void>;
}

/** Value that a step entered. It is kept in the memory of the surface only. */
export type EnteredValue =
  | { readonly kind: 'text'; readonly expected: ExpectedText; readonly initialText: string; readonly isSecret: boolean }
  | { readonly kind: 'choice'; readonly labels: readonly string[] }
  | { readonly kind: 'box'; readonly checked: boolean };

/** Fields that steps entered on the current documents. */
export interface EnteredFieldMemory {
  readonly isEmpty: boolean;
  /** Adds the field that the current action entered. */
  add(ctx: ActionContext, match: LocatedTarget, value: EnteredValue): void;
  /** Forgets the fields of a page that received other input. Later changes are its effects. */
  forget(page: Page): void;
  /** Call after a click on an element that is no field. The page may use the fields until they are read again. */
  clicked(page: Page, locator: string): void;
  /**
   * Enters fields of the current page again that it changed since their step, once.
   * @returns true if input was sent
   * @throws PilothouseError TYPED_TEXT_DIFFERS, TARGET_NOT_ACTIONABLE if a field cannot be entered again
   */
  restore(ctx: ActionContext): Promise<boolean>;
}

/** Current page, deadline and services of one action. */
export interface ActionContext extends Context {
  /** Timers that measure the deadline. */
  readonly timers: Timers;
  /** Current page of the surface. It may change during a wait, because a click can open a tab. */
  readonly page: Page;
  /** Current page with its tracked state. */
  readonly tab: TrackedPage;
  readonly pages: Pick<
    SurfacePages,
    'tabs' | 'makeCurrent' | 'answerNext' | 'files' | 'responses' | 'expectFile' | 'onLeaveRefused'
  >;
  readonly clipboard: RunClipboard;
  /** Fields that earlier steps entered on the current documents. */
  readonly entered: EnteredFieldMemory;
  /** Reports something about the page that does not fail the action. */
  warn(message: string): void;
  /** Locators whose element is used although it has another name. Each was reported. */
  readonly renamedTargets: Set<string>;
  /** Hides secrets in screenshots. */
  readonly redactor: SecretRedactor;
  /** Throws when no input may be sent any more. Call it in the same tick, right before the input. */
  guard(): void;
  /** Call instead of `inputSent` when the page stopped all input since `guard`. The surface is unchanged. */
  inputBlocked(): void;
  /** Call after input was sent. Detects a navigation or a tab that the input started. */
  inputSent(): void;
  /** Waits until no navigation is in progress. @throws PilothouseError STEP_TIMED_OUT */
  waitUntilSettled(deadline?: Deadline): Promise<void>;
  reveal(text: string, origin: string): Promise<string>;
  file(upload: string): Promise<string>;
  /** True if a press is stopped when the name of its element changed after the element was located. */
  readonly checksName: boolean;
  /** Decides by its question whether a dialog may be accepted. Without it, every dialog may. */
  readonly mayAccept?: (question: string) => boolean;
  /** Screenshot before the action; null if none was requested. */
  readonly preActionImage: PreActionImage | null;
}

/** Performs one action. */
export type ActionHandler<Name extends ActionName = ActionName> = (
  ctx: ActionContext,
  action: ActionOf<Name>,
) => Promise<ActionOutcome>;

/** One handler per action. */
export type ActionHandlers = { readonly [Name in BrowserActionName]: ActionHandler<Name> };

/** Outcome of an action without a target. */
export const NO_TARGET: ActionOutcome = { located: null };

/** Returns the handler of an action. @throws PilothouseError ACTION_UNSUPPORTED for an action that a browser does not have */
export function handlerFor(handlers: ActionHandlers, { action }: Action): ActionHandler {
  if (!surfaceSupport.browser.actions.has(action))
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `The action ${action} is not supported in a browser; use another action`,
    );
  return handlers[action as BrowserActionName] as ActionHandler;
}

/** Returns the same context with an earlier deadline. Its page stays the current one. */
export const withDeadline = (ctx: ActionContext, deadline: number): ActionContext =>
  Object.create(ctx, { deadline: { value: Math.min(ctx.deadline, deadline) } }) as ActionContext;

/** Returns the same context with a fixed page, also when another page becomes the current one. */
export const withTab = (ctx: ActionContext, tab: TrackedPage): ActionContext =>
  Object.create(ctx, { tab: { value: tab }, page: { value: tab.page } }) as ActionContext;
