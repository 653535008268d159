import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Debian packages of a desktop session, and the places of one file of each. `*` is any folder. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  xvfb: programPlaces('Xvfb'),
  openbox: programPlaces('openbox'),
  'dbus-daemon': programPlaces('dbus-daemon'),
  'at-spi2-core': ['usr/libexec/at-spi-bus-launcher', 'usr/lib/at-spi2-core/at-spi-bus-launcher'],
  libxtst6: ['usr/lib/*/libXtst.so.6', 'usr/lib/libXtst.so.6', 'usr/lib64/libXtst.so.6'],
};

/** Debian packages that a desktop session needs. */
export const desktopPackages: readonly string[] = Object.keys(PLACES);

/**
 * Returns the Debian packages of a desktop session that are not installed on this machine.
 * @param root folder of the file system
 */
export function missingDesktopPackages(root = '/'): string[] {
  return desktopPackages.filter((name) => !PLACES[name]?.some((place) => exists(root, place)));
}

/** Where a session looks for programs. */
function programPlaces(name: string): string[] {
  return ['usr/local/bin', 'usr/bin', 'bin'].map((folder) => join(folder, name));
}

function exists(root: string, place: string): boolean {
  const [before = '', after] = place.split('*');
  if (after === undefined) return existsSync(join(root, place));
  const folder = join(root, before);
  return existsSync(folder) && readdirSync(folder).some((name) => existsSync(join(folder, name, after)));
}
