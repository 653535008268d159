import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Context, Log } from '@pilothouse/core/ports/runtime.port';
import { delayWithin, limitDeadline, remainingMs } from '@pilothouse/core/time/deadlines';
import type { ActionContext } from './action-context.ts';
import { createActionContext, type CallServices, type SurfaceResources } from './create-action-context.ts';
import { toSurfaceError } from './playwright-errors.ts';

/** Maximum wait of a screenshot or of the anchors for a loading page. */
const PAGE_WAIT_MS = 3000;

/** Maximum delay between a failed call on a page and the notice that the page is lost. */
const LOSS_NOTICE_MS = 100;

/** Runs the calls of one surface until it is closed or lost. */
export class SurfaceCalls {
  readonly #resources: Omit<SurfaceResources, 'lossSignal'>;
  readonly #lost = new AbortController();
  #isClosed = false;
  #log: Log;

  constructor(resources: Omit<SurfaceResources, 'lossSignal'>, log: Log) {
    this.#resources = resources;
    this.#log = log;
  }

  /** Aborts when the surface is lost. */
  get lossSignal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Log of the last call. */
  get log(): Log {
    return this.#log;
  }

  /** True if no call can succeed any more. */
  get hasEnded(): boolean {
    return this.#isClosed || this.lossSignal.aborted;
  }

  /** Rejects all later calls. */
  close(): void {
    this.#isClosed = true;
  }

  markLost(reason: string): void {
    if (!this.hasEnded) this.#lost.abort(new PilothouseError('SURFACE_LOST', reason));
  }

  /** Runs a call with a context that also ends with the surface, and converts errors to catalog errors. */
  async run<Result>(
    context: Context,
    work: (ctx: ActionContext) => Promise<Result>,
    services?: CallServices,
  ): Promise<Result> {
    this.#log = context.log;
    if (this.#isClosed) throw new PilothouseError('SURFACE_LOST', 'The surface is closed');
    const ctx = createActionContext({ ...this.#resources, lossSignal: this.lossSignal }, context, services);
    try {
      ctx.signal.throwIfAborted();
      return await work(ctx);
    } catch (error) {
      if (ctx.signal.aborted) throw ctx.signal.reason;
      if (error instanceof PilothouseError) throw error;
      await delayWithin(LOSS_NOTICE_MS, { signal: ctx.signal, deadline: Infinity, timers: ctx.timers });
      throw toSurfaceError(error);
    }
  }

  /** Runs a call like `run`, after a pending navigation or a limited wait for it. */
  runOnLoadedPage<Result>(context: Context, work: (ctx: ActionContext) => Promise<Result>): Promise<Result> {
    return this.run(context, async (ctx) => {
      await ctx
        .waitUntilSettled(limitDeadline(ctx, Math.min(PAGE_WAIT_MS, remainingMs(ctx) / 2)))
        .catch(() => ctx.signal.throwIfAborted());
      return work(ctx);
    });
  }
}
