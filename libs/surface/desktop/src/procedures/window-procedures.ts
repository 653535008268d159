import { isChromium, withBrowserOptions } from '../chromium/browser-command.ts';
import { findAppCommand, installedApps } from '../process/desktop-entry.ts';
import { isSameProgram } from '../process/program-family.ts';
import type { ProgramExit } from '../session/session-protocol.ts';
import type { Procedures, SessionGetter } from './running-session.ts';

/** Procedures for windows and programs. */
export function windowProcedures(
  session: SessionGetter,
): Pick<
  Procedures,
  | 'windows'
  | 'activeWindow'
  | 'shownPage'
  | 'windowAt'
  | 'applications'
  | 'isSameProgram'
  | 'activate'
  | 'moveResizeWindow'
  | 'setWindowState'
  | 'closeWindow'
  | 'openApp'
  | 'exitOf'
> {
  /** Programs that have ended, by process id. */
  const exits = new Map<number, ProgramExit>();

  return {
    windows: async () => {
      const { windows, redactor } = session();
      return (await windows.list()).map((window) => redactor.window(window));
    },
    activeWindow: async () => {
      const { windows, redactor } = session();
      return redactor.window(await windows.active());
    },
    shownPage: async ({ windowId, timeoutMs }) => {
      const { windows, pages, redactor } = session();
      const window =
        windowId === null ? await windows.active() : (await windows.list()).find(({ id }) => id === windowId);
      const page = window ? await pages.shownPage(window, timeoutMs) : null;
      return page === null || page === 'unresponsive' ? page : { ...page, url: redactor.text(page.url) };
    },
    windowAt: ({ x, y }) => session().windows.windowAt(x, y),
    applications: () => installedApps(),
    isSameProgram: ([first, second]) => isSameProgram(first, second),
    activate: ({ id }) => session().windows.activate(id),
    moveResizeWindow: async ({ id, bounds }) => {
      const { windows } = session();
      const increment = await windows.sizeIncrement(id);
      const window = await windows.moveResize(id, bounds);
      return window && { window, increment };
    },
    setWindowState: ({ id, state }) => session().windows.setState(id, state),
    closeWindow: ({ id }) => session().windows.close(id),
    openApp: async ({ app, files }) => {
      const { processes, home, env, egress, pages } = session();
      const found = await findAppCommand(app, files, session().commands);
      const { command, args } = withBrowserOptions(found, egress, process.getuid?.() === 0);
      const hasPipe = isChromium(found);
      const extra = hasPipe ? (['pipe', 'pipe'] as const) : [];
      const child = await processes.start(command, args, { env: { ...env }, cwd: home, extra });
      if (hasPipe) pages.add(child);
      const { pid = 0 } = child;
      exits.delete(pid);
      child.once('exit', (code) => exits.set(pid, { code }));
      if (child.exitCode !== null || child.signalCode !== null) exits.set(pid, { code: child.exitCode });
      return { pid };
    },
    exitOf: ({ pid }) => Promise.resolve(exits.get(pid) ?? null),
  };
}
