import type { Deadline } from '@pilothouse/core/time/deadlines';
import { isOfApp } from '../targeting/window-match.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import { optionsOf, type SessionClient } from './session-client.ts';

/** A program that `openApp` or a profile has started. */
export interface StartedProgram {
  /** Id of the application, as it was asked for: `debian-xterm` opens a window of `xterm`. */
  readonly app: string;
  readonly pid: number;
}

/** The windows of a session, with the ids by which the run has opened them. */
export class OpenedWindows {
  readonly #session: Pick<SessionClient, 'call'>;
  /** Ids in lower case, by the id of the window. */
  readonly #openedAs = new Map<number, Set<string>>();

  constructor(session: Pick<SessionClient, 'call'>) {
    this.#session = session;
  }

  /** All windows, the topmost last. */
  async list(context: Deadline): Promise<readonly WindowFacts[]> {
    const windows = await this.#session.call('windows', null, optionsOf(context));
    const open = new Set(windows.map(({ id }) => id));
    // The X server gives the id of a closed window to another one.
    for (const id of this.#openedAs.keys()) if (!open.has(id)) this.#openedAs.delete(id);
    return windows.map((window) => ({ ...window, openedAs: [...(this.#openedAs.get(window.id) ?? [])] }));
  }

  /** Remembers that a program has opened a window. A window of another program gets no name: it opened at the same time by itself. */
  async remember({ app, pid }: StartedProgram, window: WindowFacts, context: Deadline): Promise<void> {
    const started: WindowFacts = { ...window, appId: '', pid };
    if (!(await this.#session.call('isSameProgram', [window, started], optionsOf(context)))) return;
    this.#openedAs.set(window.id, (this.#openedAs.get(window.id) ?? new Set()).add(app.toLowerCase()));
  }

  /** Lists the windows, after remembering the ones that programs have opened since. */
  async listAfter(programs: readonly StartedProgram[], context: Deadline): Promise<readonly WindowFacts[]> {
    const windows = await this.list(context);
    for (const program of programs.filter(({ app }) => !windows.some((window) => isOfApp(window, app))))
      for (const window of windows) await this.remember(program, window, context);
    return this.list(context);
  }
}
