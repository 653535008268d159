import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { ActionServices } from '@pilothouse/core/ports/surface-action.port';
import { raceDeadline } from '@pilothouse/core/time/deadlines';
import type { ActionContext, PreActionImage } from './action-context.ts';
import { PreActionScreenshot } from './browser.screen.ts';
import type { SurfacePages } from './pages/surface-pages.ts';

/** Resources of a surface that its calls work with. */
export interface SurfaceResources extends Pick<ActionContext, 'clipboard' | 'redactor' | 'entered'> {
  readonly pages: SurfacePages;
  /** Aborts when the surface is lost. */
  readonly lossSignal: AbortSignal;
}

/** Services of the caller. Without a guard, the call must not send input. */
export type CallServices = Pick<ActionServices, 'guard' | 'onNotSent' | 'onWarning' | 'mayAccept' | 'checksName'> &
  Partial<Pick<ActionServices, 'reveal' | 'file'>> & { readonly preActionImage?: PreActionImage };

/** Returns the services of an action. */
export const callServices = (context: ActionServices): CallServices => ({
  guard: () => context.guard(),
  reveal: (text, origin) => context.reveal(text, origin),
  file: (upload) => context.file(upload),
  onWarning: (message) => context.onWarning?.(message),
  ...(context.checksName && { checksName: true }),
  ...(context.mayAccept && { mayAccept: (question: string) => context.mayAccept?.(question) ?? true }),
  ...(context.onPreActionScreenshot && {
    preActionImage: new PreActionScreenshot((image) => context.onPreActionScreenshot?.(image)),
  }),
});

/** Creates the context of one call. It follows the current page and also ends when the surface is lost. */
export function createActionContext(
  { pages, clipboard, redactor, entered, lossSignal }: SurfaceResources,
  context: Context,
  services?: CallServices,
): ActionContext {
  const signal = AbortSignal.any([context.signal, lossSignal]);
  const { deadline, log } = context;
  const { timers } = pages;
  const limits = { signal, deadline, timers };
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
    entered,
    warn: (message) => services?.onWarning?.(message),
    renamedTargets: new Set(),
    signal,
    deadline,
    timers,
    log,
    guard: () => {
      signal.throwIfAborted();
      services?.guard();
    },
    inputSent: () => pages.current.inputSent(),
    inputBlocked: () => services?.onNotSent?.(),
    waitUntilSettled: (limit = limits) => pages.waitUntilSettled(limit),
    reveal: async (text, origin) => {
      const plaintext = await raceDeadline(reveal(text, origin), limits, 'The request for a secret');
      if (plaintext !== text) redactor.register(plaintext, origin);
      return plaintext;
    },
    file: (upload) => raceDeadline(file(upload), limits, 'The file'),
    checksName: services?.checksName === true,
    ...(services?.mayAccept && { mayAccept: (question: string) => services.mayAccept?.(question) ?? true }),
    preActionImage: services?.preActionImage ?? null,
  };
}
