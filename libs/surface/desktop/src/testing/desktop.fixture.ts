import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { ActionOutcome, ActionServices } from '@pilothouse/core/ports/surface-action.port';
import type { OpenOptions } from '@pilothouse/core/ports/surface.port';
import { chmod, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DesktopHost } from '../desktop.host.ts';
import { MachineSessions, type MachineSessionsOptions } from '../session/machine-sessions.ts';
import type { DesktopSurface, SurfaceTime } from '../desktop.surface.ts';
import { sessionLauncher } from '@pilothouse/testing/desktop-session-launcher';

/** A host with a separate folder, for specs. */
export interface DesktopKit {
  readonly host: DesktopHost;
  readonly folder: string;
  /** Folder that programs of all sessions can read: a command names it. */
  readonly sharedFolder: string;
  readonly sessions: MachineSessions;
  open(options?: Partial<OpenOptions>): Promise<DesktopSurface>;
  /** Process ids of this kit's sessions whose command line contains this text. */
  pidsOf(command: string): Promise<number[]>;
  /** Closes the host. @returns files and processes that are left */
  close(): Promise<{ files: string[]; pids: number[] }>;
}

export async function startDesktopKit(
  options: Partial<MachineSessionsOptions> & SurfaceTime = {},
): Promise<DesktopKit> {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-desktop-'));
  // Sessions of a root user have separate users, which pass through.
  await chmod(folder, 0o711);
  const sharedFolder = await mkdtemp(join(tmpdir(), 'pilothouse-shared-'));
  await chmod(sharedFolder, 0o755);
  const launcher = options.launcher ?? (await sessionLauncher());
  const commands = { ...options.commands, 'shared-folder': ['/bin/ls', sharedFolder] };
  const settings = { folder, environment: {}, ...options, launcher, commands };
  const sessions = new MachineSessions(settings);
  const host = new DesktopHost({ ...settings, sessions });
  const pidsOf = (command: string) => processesBelow(folder, command);
  return {
    host,
    folder,
    sharedFolder,
    sessions,
    pidsOf,
    open: (options) => host.open({ folder, ...options }, contextWithin(60)),
    close: async () => {
      await host.close();
      const left = { files: await readdir(folder), pids: await pidsOf('') };
      for (const path of [folder, sharedFolder]) await rm(path, { recursive: true, force: true });
      return left;
    },
  };
}

/** A context with a deadline, for one call. */
export const contextWithin = (seconds: number): ActionServices => ({
  signal: new AbortController().signal,
  deadline: performance.now() + seconds * 1_000,
  log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  guard: () => undefined,
  reveal: (text) => Promise.resolve(text),
  file: (upload) => Promise.resolve(upload),
});

/** Returns a function that performs actions on the surface that `surface` returns. */
export const actor =
  (surface: () => DesktopSurface) =>
  (action: Action, seconds = 20): Promise<ActionOutcome> =>
    surface().act(action, contextWithin(seconds));

/** Ids of processes whose home or working folder is below the folder. Chromium overwrites its environment. */
export async function processesBelow(folder: string, command: string): Promise<number[]> {
  const entries = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const pids = await Promise.all(
    entries.map(async (pid) => {
      const [environment, commandLine] = await Promise.all(
        ['environ', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      );
      const workingFolder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      const isOfSession = environment?.includes(`HOME=${folder}`) || workingFolder.startsWith(folder);
      return isOfSession && commandLine?.includes(command) ? [Number(pid)] : [];
    }),
  );
  return pids.flat();
}
