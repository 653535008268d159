import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { StorageState } from '@pilothouse/contract/project/profile.schema';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { ActionServices } from '@pilothouse/core/ports/surface-action.port';
import { raceDeadline } from '@pilothouse/core/time/deadlines';
import type { ActionContext } from './action-context.ts';
import { readPageStorage, restoreState, saveState, type StorageByOrigin } from './browser.state.ts';
import type { PreparedContext } from './context/browser-context.ts';
import type { SurfacePages } from './pages/surface-pages.ts';
import { readProfile } from './state/profile-state.ts';
import { parseState, type StorageEntries } from './state/state-format.ts';
import type { SurfaceCalls } from './surface-calls.ts';

/** Saves and restores the cookies, the storage and the clipboard of one surface. */
export class SurfaceState {
  readonly #prepared: PreparedContext;
  readonly #pages: SurfacePages;
  readonly #calls: SurfaceCalls;
  readonly #origins: StorageByOrigin;

  /** @param origins storage that is known by origin; updated */
  constructor(prepared: PreparedContext, pages: SurfacePages, calls: SurfaceCalls, origins: StorageByOrigin) {
    this.#prepared = prepared;
    this.#pages = pages;
    this.#calls = calls;
    this.#origins = origins;
  }

  async save(context: Context): Promise<string | null> {
    if (this.#calls.hasEnded) return null;
    return saveState(this.#pages, this.#origins, this.#prepared.clipboard, {
      ...context,
      signal: AbortSignal.any([context.signal, this.#calls.lossSignal]),
      timers: this.#prepared.timers,
    });
  }

  async restore(text: string, context: Pick<ActionServices, 'guard'> & Context): Promise<void> {
    const state = parseState(text);
    const work = async (ctx: ActionContext) => {
      const { cdp, history } = this.#pages.current;
      if (!cdp) throw new PilothouseError('SURFACE_LOST', 'The page does not respond');
      await restoreState(ctx, cdp, state);
      history.restoreUrls(state.before);
      this.#prepared.clipboard.state = state.clipboard;
      for (const origin of state.origins) this.#origins.set(origin.origin, origin);
    };
    await this.#calls.run(context, work, { guard: () => context.guard() });
  }

  profile(context: Context): Promise<StorageState> {
    return this.#calls.runOnLoadedPage(context, async (ctx) =>
      readProfile(this.#prepared.context, await this.#sessionStorage(ctx), ctx),
    );
  }

  /** Returns the session storage of the window: current for its page, as last seen for origins it left. */
  async #sessionStorage(ctx: ActionContext): Promise<Map<string, StorageEntries>> {
    const { page, cdp } = this.#pages.current;
    const states = cdp ? await raceDeadline(readPageStorage(page, cdp), ctx, 'The session storage') : [];
    const current = states.filter((state) => state !== null);
    return new Map([...this.#origins.values(), ...current].map(({ origin, session }) => [origin, session]));
  }
}
