import { existsSync } from 'node:fs';

const HEADLESS_SHELL_PATHS = ['/usr/bin/chromium-headless-shell', '/usr/local/bin/chromium-headless-shell'];

/**
 * Launch options for the headless shell, a build of Chromium that cannot show a browser window. A page needs half of
 * the CPU time. Specs of browser windows, processes, marked screenshots and egress use the default Chromium.
 * @returns an empty object if the headless shell is not installed; the caller then starts the default Chromium
 */
export function headlessShellOptions(): { readonly executablePath?: string } {
  const executablePath = HEADLESS_SHELL_PATHS.find((path) => existsSync(path));
  return executablePath === undefined ? {} : { executablePath };
}
