import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DesktopSurface } from '../../libs/surface/desktop/src/desktop.surface.ts';
import { actor, startDesktopKit, type DesktopKit } from '../../libs/surface/desktop/src/testing/desktop.fixture.ts';

const run = promisify(execFile);

/** A desktop session of a benchmark. */
export interface BenchDesktop {
  readonly kit: DesktopKit;
  readonly surface: DesktopSurface;
  readonly act: ReturnType<typeof actor>;
  /** Home folder of the session. */
  readonly home: string;
  /** Variables with which a peer program reaches the same display. */
  readonly peerEnvironment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Opens a session. The peers of a benchmark operate the same display. */
export async function openBenchDesktop(options: Parameters<typeof startDesktopKit>[0] = {}): Promise<BenchDesktop> {
  const kit = await startDesktopKit(options);
  const surface = await kit.open();
  // The session of the surface was started before the warm one.
  const [server] = (await kit.pidsOf('Xvfb')).toSorted((first, second) => first - second);
  const words = (await readFile(`/proc/${server}/cmdline`, 'utf8')).split('\0');
  const display = words.find((word) => /^:\d+$/.test(word)) ?? '';
  const authority = words[words.indexOf('-auth') + 1] ?? '';
  const home = join(authority, '../../home');
  await readdir(home);
  return {
    kit,
    surface,
    act: actor(() => surface),
    home,
    peerEnvironment: { DISPLAY: display, XAUTHORITY: authority, PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' },
    close: async () => {
      await surface.close();
      await kit.close();
    },
  };
}

/** Opens an application of LibreOffice and closes the tip that it shows at its first start. @param name as in the title of its window */
export async function openOffice({ act }: BenchDesktop, app: string, name: string): Promise<void> {
  await act({ action: 'openApp', app, args: [] }, 60);
  await act({ action: 'waitFor', condition: { title: 'Tip of the Day' } }, 60);
  await act({ action: 'press', key: 'Escape' });
  await act({ action: 'waitFor', condition: { title: name } }, 30);
}

/** Runs a peer program on the display of a session. @returns milliseconds; null: it is not installed */
export async function timePeer(
  { peerEnvironment }: BenchDesktop,
  program: string,
  args: string[],
): Promise<number | null> {
  const startedAt = performance.now();
  try {
    await run(program, args, { env: { ...peerEnvironment }, timeout: 60_000 });
    return performance.now() - startedAt;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
