import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { DesktopProfile } from '@pilothouse/contract/workflow/desktop-options.schema';
import { limitDeadline, poll, type Deadline } from '@pilothouse/core/time/deadlines';
import { chown, copyFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findScopedWindow } from '../targeting/window-match.ts';
import type { SessionClient } from './session-client.ts';

/** Seconds for the windows of a profile to open. */
const READY_TIMEOUT_S = 30;

type ProfileFile = NonNullable<DesktopProfile['files']>[number];

interface ProfileTarget {
  readonly client: Pick<SessionClient, 'call'>;
  /** Home folder of the session. */
  readonly home: string;
  /** Returns the path of an upload. @throws PilothouseError UPLOAD_FAILED, NOT_FOUND */
  file(upload: string): Promise<string>;
}

/**
 * Puts files into the home folder, starts applications and waits for their windows.
 * @throws PilothouseError ACTION_UNSUPPORTED for an application that cannot be started; CONDITION_NOT_MET for a window that does not open
 */
export async function applyProfile(
  { files = [], applications = [], ready = [], readyTimeout = READY_TIMEOUT_S }: DesktopProfile,
  target: ProfileTarget,
  context: Deadline,
): Promise<void> {
  for (const file of files) await putFile(file, target);
  const { client } = target;
  for (const { app, args = [] } of applications) {
    await client.call('openApp', { app, files: args }, { signal: context.signal }).catch((error: unknown) => {
      context.signal.throwIfAborted();
      throw new PilothouseError('ACTION_UNSUPPORTED', `desktop.profile.applications: ${(error as Error).message}`);
    });
  }
  if (ready.length === 0) return;
  const windows = () => client.call('windows', null, { signal: context.signal });
  const missingNow = async () => {
    const open = await windows();
    return ready.find((window) => !findScopedWindow(open, window));
  };
  const limits = limitDeadline(context, readyTimeout * 1_000);
  const isReady = await poll(async () => ((await missingNow()) ? undefined : true), limits);
  if (isReady) return;
  const missing = await missingNow();
  if (!missing) return;
  const titles = (await windows()).map(({ title }) => JSON.stringify(title)).join(', ') || 'none';
  throw new PilothouseError(
    'CONDITION_NOT_MET',
    `desktop.profile.ready: no window ${JSON.stringify(missing)} opened within ${readyTimeout} s; open windows: ${titles}`,
  );
}

/** The home folder is fresh and no application has run in it, so that its paths hold no links. */
async function putFile({ path, text, upload }: ProfileFile, { home, file }: ProfileTarget): Promise<void> {
  const { uid, gid } = await stat(home);
  let folder = home;
  for (const name of dirname(path)
    .split('/')
    .filter((segment) => segment !== '.')) {
    folder = join(folder, name);
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await chown(folder, uid, gid);
  }
  const destination = join(home, path);
  if (upload === undefined) await writeFile(destination, text ?? '', { mode: 0o600 });
  else await copyFile(await file(upload), destination);
  await chown(destination, uid, gid);
}
