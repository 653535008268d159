import { raceDeadline, type ActionOutcome, type ActionServices, type Context } from '@pilothouse/core';
import type { Action, ActionName, ActionOf } from '@pilothouse/contract';
import type { Frame, Page } from 'playwright-core';
import type { RunClipboard } from './clipboard/run-clipboard.ts';
import type { TrackedPage } from './pages/tracked-page.ts';
import type { ElementRef } from './targeting/element-ref.ts';
import type { SurfacePages } from './pages/surface-pages.ts';
import type { SecretRedactor } from './pages/secret-redaction.ts';
import { PreActionScreenshot } from './browser.screen.ts';

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

/** Current page, deadline and services of one action. */
export interface ActionContext extends Context {
  /** Current page of the surface. It may change during a wait, because a click can open a tab. */
  readonly page: Page;
  /** Current page with its tracked state. */
  readonly tab: TrackedPage;
  readonly pages: Pick<SurfacePages, 'all' | 'makeCurrent' | 'answerNext' | 'files' | 'responses' | 'expectFile'>;
  readonly clipboard: RunClipboard;
  /** Hides secrets in screenshots. */
  readonly redactor: SecretRedactor;
  /** Throws when no input may be sent any more. Call it in the same tick, right before the input. */
  guard(): void;
  /** Call instead of `inputSent` when the page stopped all input since `guard`. The surface is unchanged. */
  inputBlocked(): void;
  /** Call after input was sent. Detects a navigation or a tab that the input started. */
  inputSent(): void;
  /** Waits until no navigation is in progress. @throws PilothouseError STEP_TIMED_OUT */
  waitUntilSettled(deadline?: Pick<Context, 'signal' | 'deadline'>): Promise<void>;
  reveal(text: string, origin: string): Promise<string>;
  file(upload: string): Promise<string>;
  /** True if a press is stopped when the name of its element changed after the element was located. */
  readonly checksName: boolean;
  /** Decides by its question whether a dialog may be accepted. Without it, every dialog may. */
  readonly mayAccept?: (question: string) => boolean;
  /** Screenshot before the action; null if none was requested. */
  readonly before: PreActionImage | null;
}

/** Performs one action. */
export type ActionHandler<Name extends ActionName = ActionName> = (
  ctx: ActionContext,
  action: ActionOf<Name>,
) => Promise<ActionOutcome>;

/** One handler per action. */
export type ActionHandlers = { readonly [Name in ActionName]: ActionHandler<Name> };

/** Outcome of an action without a target. */
export const NO_TARGET: ActionOutcome = { located: null };

/** Returns the handler of an action. */
export const handlerFor = (handlers: ActionHandlers, action: Action) => handlers[action.action] as ActionHandler;

/** Returns the same context with an earlier deadline. Its page stays the current one. */
export const withDeadline = (ctx: ActionContext, deadline: number): ActionContext =>
  Object.create(ctx, { deadline: { value: Math.min(ctx.deadline, deadline) } }) as ActionContext;

/** Resources of a surface that its calls work with. */
export interface SurfaceResources extends Pick<ActionContext, 'clipboard' | 'redactor'> {
  readonly pages: SurfacePages;
  /** Aborts when the surface is lost. */
  readonly lost: AbortSignal;
}

/** Services of the caller. Without a guard, the call must not send input. */
export type CallServices = Pick<ActionServices, 'guard' | 'notSent' | 'mayAccept' | 'checksName'> &
  Partial<Pick<ActionServices, 'reveal' | 'file'>> & { readonly before?: PreActionImage };

/** Returns the services of an action. */
export const callServices = (context: ActionServices): CallServices => ({
  guard: () => context.guard(),
  reveal: (text, origin) => context.reveal(text, origin),
  file: (upload) => context.file(upload),
  ...(context.checksName && { checksName: true }),
  ...(context.mayAccept && { mayAccept: (question: string) => context.mayAccept?.(question) ?? true }),
  ...(context.before && { before: new PreActionScreenshot((image) => context.before?.(image)) }),
});

/** Creates the context of one call. It follows the current page and also ends when the surface is lost. */
export function createActionContext(
  { pages, clipboard, redactor, lost }: SurfaceResources,
  context: Context,
  services?: CallServices,
): ActionContext {
  const signal = AbortSignal.any([context.signal, lost]);
  const { deadline, log } = context;
  const { reveal = async (text: string) => text, file = async (upload: string) => upload } = services ?? {};
  return {
    get page() {
      return pages.current.page;
    },
    get tab() {
      return pages.current;
    },
    pages,
    clipboard,
    redactor,
    signal,
    deadline,
    log,
    guard: () => {
      signal.throwIfAborted();
      services?.guard();
    },
    inputSent: () => pages.current.inputSent(),
    inputBlocked: () => services?.notSent?.(),
    waitUntilSettled: (limit = { signal, deadline }) => pages.waitUntilSettled(limit),
    reveal: async (text, origin) => {
      const plaintext = await raceDeadline(reveal(text, origin), { signal, deadline }, 'The request for a secret');
      if (plaintext !== text) redactor.register(plaintext, origin);
      return plaintext;
    },
    file: (upload) => raceDeadline(file(upload), { signal, deadline }, 'The file'),
    checksName: services?.checksName === true,
    ...(services?.mayAccept && { mayAccept: (question: string) => services.mayAccept?.(question) ?? true }),
    before: services?.before ?? null,
  };
}
