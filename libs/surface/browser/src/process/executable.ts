import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PilothouseError } from '@pilothouse/contract';

const macApps = ['Google Chrome', 'Chromium', 'Microsoft Edge'];

/** Where a Chromium may be, the likeliest first. */
export function chromiumPaths(platform = process.platform, home = homedir()): string[] {
  if (platform === 'darwin') {
    const inside = (folder: string) => macApps.map((app) => join(folder, `${app}.app`, 'Contents', 'MacOS', app));
    return [...inside('/Applications'), ...inside(join(home, 'Applications')), '/opt/homebrew/bin/chromium'];
  }
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
  return ['/usr/bin', '/usr/local/bin', '/snap/bin'].flatMap((folder) => names.map((name) => join(folder, name)));
}

/**
 * The Chromium to run: the given one, else the first of `paths` that is there.
 * @throws PilothouseError SURFACE_UNAVAILABLE with a sentence that says what to install
 */
export function findChromium(given?: string, paths = chromiumPaths()): string {
  if (given !== undefined) {
    if (existsSync(given)) return given;
    throw new PilothouseError(
      'SURFACE_UNAVAILABLE',
      `There is no browser at ${given}; correct the path or leave it out`,
    );
  }
  const found = paths.find((path) => path !== '' && existsSync(path));
  if (found) return found;
  throw new PilothouseError(
    'SURFACE_UNAVAILABLE',
    'No Chromium was found. Install it (Debian, Ubuntu: `apt-get install chromium`; Mac: `brew install --cask chromium`) or say where it is',
    { details: { looked: paths } },
  );
}
