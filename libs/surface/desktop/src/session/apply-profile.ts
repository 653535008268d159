import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { DesktopProfile } from '@pilothouse/contract/workflow/desktop-options.schema';
import { limitDeadline, poll, type Deadline } from '@pilothouse/core/time/deadlines';
import { putFile, putText } from './session-files.ts';
import { findScopedWindow } from '../targeting/window-match.ts';
import { autocorrectFiles } from './autocorrect.ts';
import type { OpenedWindows, StartedProgram } from './opened-windows.ts';
import type { SessionClient } from './session-client.ts';

/** Seconds for the windows of a profile to open. */
const READY_TIMEOUT_S = 30;

interface ProfileTarget {
  readonly client: Pick<SessionClient, 'call'>;
  readonly windows: OpenedWindows;
  /** Returns the path of an upload. @throws PilothouseError UPLOAD_FAILED, NOT_FOUND */
  file(upload: string): Promise<string>;
}

/**
 * Puts files into the home folder, starts applications and waits for their windows.
 * @throws PilothouseError ACTION_UNSUPPORTED for an application that cannot be started; CONDITION_NOT_MET for a window that does not open
 */
export async function applyProfile(
  { autocorrect, files = [], applications = [], ready = [], readyTimeout = READY_TIMEOUT_S }: DesktopProfile,
  target: ProfileTarget,
  context: Deadline,
): Promise<void> {
  const { client } = target;
  const options = { signal: context.signal };
  const settings = autocorrect === 'off' ? Object.entries(autocorrectFiles) : [];
  for (const [path, text] of settings) await putText(client, text, path, options);
  // A file of the profile wins.
  for (const { path, text, upload } of files) {
    if (upload === undefined) await putText(client, text ?? '', path, options);
    else await putFile(client, await target.file(upload), path, options);
  }
  const programs: StartedProgram[] = [];
  for (const { app, args = [] } of applications) {
    const { pid } = await client.call('openApp', { app, files: args }, options).catch((error: unknown) => {
      context.signal.throwIfAborted();
      throw new PilothouseError('ACTION_UNSUPPORTED', `desktop.profile.applications: ${(error as Error).message}`);
    });
    programs.push({ app, pid });
  }
  if (ready.length === 0) return;
  const windows = () => target.windows.listAfter(programs, context);
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
