import { readFile } from 'node:fs/promises';
import { sep } from 'node:path';

/** A mount of this process. */
interface MachineMount {
  readonly point: string;
  readonly flags: readonly string[];
  /** Type of the file system, e.g. `tmpfs`. */
  readonly type: string;
}

/** True if a path is one of the folders, or below one. */
export const isBelow = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path === folder || path.startsWith(folder + sep));

/** The mounts of this process, as it started to read them. */
export class MachineMounts {
  readonly #mounts: readonly MachineMount[];

  private constructor(mounts: readonly MachineMount[]) {
    this.#mounts = mounts;
  }

  /** Reads `/proc/self/mountinfo` (proc(5)). */
  static async read(): Promise<MachineMounts> {
    const text = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
    const mounts = text.split('\n').flatMap((line): MachineMount[] => {
      const [, , , , point, options = ''] = line.split(' ');
      if (point === undefined) return [];
      const [type = ''] = line.slice(line.indexOf(' - ') + 3).split(' ');
      return [{ point: unescapeField(point), flags: options.split(','), type }];
    });
    return new MachineMounts(mounts);
  }

  /** Flags of the mount of a path. A user namespace cannot remove them. */
  lockedFlags(path: string): string[] {
    const covering = this.#mounts.filter(({ point }) => isBelow(path, [point === '/' ? '' : point]));
    const nearest = covering.toSorted((first, second) => second.point.length - first.point.length)[0];
    return (nearest?.flags ?? []).filter((flag) => ['nosuid', 'nodev', 'noexec'].includes(flag));
  }

  /** Mount points below a folder, parents first. @param type of the file system; default: any */
  pointsBelow(folder: string, type?: string): string[] {
    const points = this.#mounts
      .filter((mount) => mount.point.startsWith(folder + sep) && (type === undefined || mount.type === type))
      .map(({ point }) => point);
    return [...new Set(points)].toSorted((first, second) => first.length - second.length);
  }
}

const unescapeField = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
