import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Debian packages of a desktop session, and paths of one file of each. `*` is any folder. */
const PACKAGE_FILE_PATHS: Readonly<Record<string, readonly string[]>> = {
  xvfb: programPaths('Xvfb'),
  openbox: programPaths('openbox'),
  'dbus-daemon': programPaths('dbus-daemon'),
  'at-spi2-core': ['usr/libexec/at-spi-bus-launcher', 'usr/lib/at-spi2-core/at-spi-bus-launcher'],
  libxtst6: ['usr/lib/*/libXtst.so.6', 'usr/lib/libXtst.so.6', 'usr/lib64/libXtst.so.6'],
};

/** Debian packages that a desktop session needs. */
export const desktopPackages: readonly string[] = Object.keys(PACKAGE_FILE_PATHS);

/**
 * Returns the Debian packages of a desktop session that are not installed on this machine.
 * @param root folder of the file system
 */
export function missingDesktopPackages(root = '/'): string[] {
  return desktopPackages.filter((name) => !PACKAGE_FILE_PATHS[name]?.some((path) => exists(root, path)));
}

/** Paths at which a session searches for a program. */
function programPaths(name: string): string[] {
  return ['usr/local/bin', 'usr/bin', 'bin'].map((folder) => join(folder, name));
}

function exists(root: string, path: string): boolean {
  const [prefix = '', suffix] = path.split('*');
  if (suffix === undefined) return existsSync(join(root, path));
  const folder = join(root, prefix);
  return existsSync(folder) && readdirSync(folder).some((name) => existsSync(join(folder, name, suffix)));
}
