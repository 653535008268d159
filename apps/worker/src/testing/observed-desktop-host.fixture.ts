import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { OpenOptions, Surface, SurfaceHost } from '@pilothouse/core/ports/surface.port';
import { DesktopHost, MachineSessions, type SessionLauncher } from '@pilothouse/surface-desktop';
import { sessionLauncher } from '@pilothouse/testing/desktop-session-launcher';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** Content of files by their path below the home folder of a run. */
type HomeFiles = ReadonlyMap<string, Buffer>;

/**
 * A desktop host that puts files into the home folder of each session before its run, and reads the folder when the run ends. The sessions
 * are those of `DesktopHost`.
 */
export class ObservedDesktopHost implements SurfaceHost {
  readonly kind = 'desktop';
  /** Files that the next session starts with, by path below its home folder. */
  initialFiles: Readonly<Record<string, string | Buffer>> = {};
  /** Files of the home folder when the last run ended, without hidden ones. */
  files: HomeFiles = new Map();
  readonly #folder: string;
  readonly #host: DesktopHost;
  readonly #usedFolders = new Set<string>();
  #closed: Promise<null> = Promise.resolve(null);

  private constructor(folder: string, launcher: SessionLauncher) {
    this.#folder = folder;
    const sessions = new MachineSessions({ folder, environment: {}, launcher });
    this.#host = new DesktopHost({ sessions, environment: {} });
  }

  static async start(): Promise<ObservedDesktopHost> {
    const host = new ObservedDesktopHost(await mkdtemp(join(tmpdir(), 'pilothouse-tasks-')), await sessionLauncher());
    await host.#host.warm();
    return host;
  }

  get capabilities() {
    return this.#host.capabilities;
  }

  async open(options: OpenOptions, context: Context): Promise<Surface> {
    // One run at a time. The session that no run has used yet is the warm one, which this run takes.
    await this.#host.warm();
    const folders = (await readdir(this.#folder)).filter((name) => !this.#usedFolders.has(name));
    const [folder] = folders;
    if (folder === undefined || folders.length > 1)
      throw new Error(`Expected one warm session below ${this.#folder}, there are ${folders.length}`);
    this.#usedFolders.add(folder);
    const home = join(this.#folder, folder, 'home');
    for (const [path, content] of Object.entries(this.initialFiles)) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), content);
    }
    const surface = await this.#host.open(options, context);
    const closed = Promise.withResolvers<null>();
    this.#closed = closed.promise;
    let closing: Promise<void> | undefined;
    const close = async () => {
      this.files = await readFiles(home);
      await surface.close();
      closed.resolve(null);
    };
    // A worker closes a surface twice: before the outcome, and when it cleans up.
    return closingWith(surface, () => (closing ??= close()));
  }

  /** Resolves when the surface of the last run is closed. The end of a run is reported before. */
  async untilClosed(): Promise<void> {
    await this.#closed;
  }

  /** Closes all sessions. @returns names of folders that are left */
  async close(): Promise<void> {
    await this.#host.close();
    const remaining = await readdir(this.#folder);
    await rm(this.#folder, { recursive: true, force: true });
    if (remaining.length > 0) throw new Error(`Sessions left ${remaining.join(', ')}`);
  }
}

/** A surface with another `close`. */
function closingWith(surface: Surface, close: () => Promise<void>): Surface {
  return new Proxy(surface, {
    get(target, key) {
      if (key === 'close') return close;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

async function readFiles(home: string): Promise<HomeFiles> {
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (path) =>
        !relative(home, path)
          .split('/')
          .some((part) => part.startsWith('.')),
    );
  const contents = await Promise.all(paths.map(async (path) => [relative(home, path), await readFile(path)] as const));
  return new Map(contents);
}
