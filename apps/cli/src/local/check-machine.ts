import type { UpConfig } from '@pilothouse/infra-config';
import { isPortFree, findProgram } from '@pilothouse/infra-embedded';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { House } from './installation-paths.ts';
import { note, ok, problem, type Finding } from './finding.ts';

const gigabyte = 1024 ** 3;

/** What this machine must have before anything runs. */
export async function checkMachine(house: House, config: UpConfig, runs: boolean): Promise<Finding[]> {
  return [
    node(),
    bundles(house),
    chromium(house, config),
    display(config),
    ffmpeg(),
    ...(config.redisUrl ? [] : [redisServer()]),
    disk(house),
    ...(runs ? [] : [await port(config)]),
  ];
}

function node(): Finding {
  const { version, versions } = process;
  const [major = 0, minor = 0] = versions.node.split('.').map(Number);
  if (major > 24 || (major === 24 && minor >= 7)) return ok('Node', version);
  return problem('Node', `${version} is too old`, 'Run ./scripts/setup, which installs Node 24 for this folder only.');
}

function bundles({ bundle }: House): Finding {
  const missing = ['api', 'fleet', 'worker', 'console', 'cli'].filter((app) => !existsSync(bundle(app)));
  if (missing.length === 0) return ok('bundles', 'built');
  return problem('bundles', `not built: ${missing.join(', ')}`, 'Run ./scripts/setup.');
}

function chromium({ state }: House, { environment }: UpConfig): Finding {
  const named = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const found = environment.CHROMIUM_PATH || named.map(findProgram).find(Boolean) || bundledBrowser(state);
  const mend = 'Run ./scripts/setup, or set CHROMIUM_PATH to a Chromium or Chrome.';
  if (!found) return problem('Chromium', 'not found', mend);
  const { status, stdout } = spawnSync(found, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  if (status !== 0) return problem('Chromium', `${found} does not start`, mend);
  return ok('Chromium', `${stdout.trim()} (${found})`);
}

/** Where scripts/setup puts a Chromium when the system has no package of one; and where a Mac has its own. */
function bundledBrowser(state: string): string | undefined {
  const folder = join(state, 'browsers');
  const fetched = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
        /\/(chrome|Chromium|Google Chrome[^/]*)$/.test(path),
      )
    : [];
  const mac = [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ];
  return [...fetched.map((path) => join(folder, path)), ...mac].find((path) => existsSync(path));
}

function display({ environment }: UpConfig): Finding {
  if (environment.DISPLAY) return ok('display', environment.DISPLAY);
  if (process.platform === 'darwin') return ok('display', 'of this Mac');
  if (findProgram('Xvfb')) return ok('display', 'Xvfb, one for each worker');
  return note('display', 'no display and no Xvfb: browsers run headless', 'For headed ones: apt-get install xvfb.');
}

function ffmpeg(): Finding {
  const path = findProgram('ffmpeg');
  if (path) return ok('ffmpeg', path);
  return note('ffmpeg', 'not on the PATH: runs keep no videos', 'For videos: apt-get install ffmpeg.');
}

function redisServer(): Finding {
  const path = findProgram('redis-server');
  if (path) return ok('redis-server', path);
  return problem('redis-server', 'not on the PATH', 'Run ./scripts/setup, or set REDIS_URL to a Redis 6.2 or newer.');
}

function disk({ state }: House): Finding {
  mkdirSync(state, { recursive: true });
  const { bavail, bsize } = statfsSync(state);
  const free = (bavail * bsize) / gigabyte;
  const says = `${free.toFixed(1)} GB free for ${state}`;
  if (free < 1) return problem('disk', says, 'Make room, or set PILOTHOUSE_DIR to a folder on another disk.');
  if (free < 5) return note('disk', says, 'Screenshots and videos of some hundred runs fill that.');
  return ok('disk', says);
}

async function port({ port: wanted, host }: UpConfig): Promise<Finding> {
  if (await isPortFree(wanted, host)) return ok('port', `${wanted} is free`);
  return note(
    'port',
    `${wanted} is taken by another program`,
    'The API takes the next free one; --port chooses another.',
  );
}
