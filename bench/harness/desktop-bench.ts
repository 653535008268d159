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

/** File in the home folder of the session that the benchmark uses. */
const MARKER = '.pilothouse-bench';

/** An X server and the home folder of its session. */
interface BenchServer {
  readonly display: string;
  readonly authority: string;
  readonly home: string;
}

async function serverOf(pid: number): Promise<BenchServer> {
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  const display = words.find((word) => /^:\d+$/.test(word)) ?? '';
  const authority = words[words.indexOf('-auth') + 1] ?? '';
  return { display, authority, home: join(authority, '../../home') };
}

const hasMarker = ({ home }: BenchServer): Promise<boolean> =>
  readdir(home).then(
    (names) => names.includes(MARKER),
    () => false,
  );

/** Opens a session. The peers of a benchmark operate the same display. */
export async function openBenchDesktop(options: Parameters<typeof startDesktopKit>[0] = {}): Promise<BenchDesktop> {
  const kit = await startDesktopKit(options);
  const surface = await kit.open({ desktop: { profile: { files: [{ path: MARKER, text: '' }] } } });
  const servers = await Promise.all((await kit.pidsOf('Xvfb')).map(serverOf));
  // The other servers are those of prepared sessions.
  const server = (await Promise.all(servers.map(async (each) => ((await hasMarker(each)) ? each : null)))).find(
    (each) => each !== null,
  );
  if (!server) throw new Error('The X server of the session was not found');
  const { display, authority, home } = server;
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
