import { existsSync } from 'node:fs';

const PATHS = ['/usr/bin/chromium-headless-shell', '/usr/local/bin/chromium-headless-shell'];

/**
 * Options that start the headless shell, a build of Chromium without windows. A page of it takes a third of the CPU
 * time. Specs of windows and processes use the browser of the product instead.
 * @returns no path if the shell is not installed: the browser of the product is used
 */
export function headlessShell(): { readonly executablePath?: string } {
  const executablePath = PATHS.find((path) => existsSync(path));
  return executablePath === undefined ? {} : { executablePath };
}
