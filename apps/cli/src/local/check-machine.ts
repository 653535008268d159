import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import { missingDesktopPackages, type UpConfig } from '@pilothouse/infra-config';
import { isPortFree, findProgram } from '@pilothouse/infra-embedded';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '../installation/installation-paths.ts';
import { checkBoundary } from './check-boundary.ts';
import { note, ok, problem, type Finding } from './finding.ts';
import { desktopFix, localFleets } from './local-fleets.ts';

const gigabyte = 1024 ** 3;

/** Checks the requirements of the local installation. */
export async function checkMachine(
  installation: Installation,
  config: UpConfig,
  isRunning: boolean,
): Promise<Finding[]> {
  return [
    node(),
    bundles(installation),
    chromium(installation, config),
    display(config),
    ffmpeg(),
    desktop(config, missingDesktopPackages()),
    ...(process.platform === 'linux' && missingDesktopPackages().length === 0 ? [checkBoundary()] : []),
    ...(config.redisUrl ? [] : [redisServer()]),
    disk(installation),
    ...(isRunning ? [] : [await port(config)]),
  ];
}

function node(): Finding {
  const { version, versions } = process;
  const [major = 0, minor = 0] = versions.node.split('.').map(Number);
  if (major > 24 || (major === 24 && minor >= 7)) return ok('Node', version);
  return problem(
    'Node',
    `${version} is too old (24.7 or newer required)`,
    'Run ./scripts/setup, which installs Node 24 for this folder only.',
  );
}

function bundles({ bundle }: Installation): Finding {
  const missing = ['api', 'fleet', 'jobs', 'worker', 'console', 'cli'].filter((app) => !existsSync(bundle(app)));
  if (missing.length === 0) return ok('bundles', 'built');
  return problem('bundles', `not built: ${missing.join(', ')}`, 'Run ./scripts/setup.');
}

function chromium({ state }: Installation, { environment }: UpConfig): Finding {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const program = environment.CHROMIUM_PATH || names.map(findProgram).find(Boolean) || bundledBrowser(state);
  const fix = 'Run ./scripts/setup, or set CHROMIUM_PATH to a Chromium or Chrome.';
  if (!program) return problem('Chromium', 'not found', fix);
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 20_000 });
  if (status !== 0) return problem('Chromium', `${program} failed to start`, fix);
  return ok('Chromium', `${stdout.trim()} (${program})`);
}

/** Path of the Chromium that scripts/setup installs, or of Chrome on a Mac. */
function bundledBrowser(state: string): string | undefined {
  const folder = join(state, 'browsers');
  const installed = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
        /\/(chrome|Chromium|Google Chrome[^/]*)$/.test(path),
      )
    : [];
  const mac = [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ];
  return [...installed.map((path) => join(folder, path)), ...mac].find((path) => existsSync(path));
}

function display({ environment }: UpConfig): Finding {
  if (environment.DISPLAY) return ok('display', environment.DISPLAY);
  if (process.platform === 'darwin') return ok('display', 'macOS');
  if (findProgram('Xvfb')) return ok('display', 'Xvfb (one per worker)');
  return note('display', 'no display, no Xvfb: browsers run headless', 'For headed ones: apt-get install xvfb.');
}

function ffmpeg(): Finding {
  const path = findProgram('ffmpeg');
  if (path) return ok('ffmpeg', path);
  return note('ffmpeg', 'not found on PATH: runs record no videos', 'For videos: apt-get install ffmpeg.');
}

function desktop(config: UpConfig, missing: readonly string[]): Finding {
  if (missing.length === 0) return ok('desktop', 'its packages are installed');
  const hasFleet = localFleets(config, missing).some(
    ({ surface, maxWorkers }) => surfaceTraits[surface].needsSystemPackages && maxWorkers > 0,
  );
  const message = `not installed: ${missing.join(' ')}`;
  return hasFleet ? problem('desktop', message, desktopFix(missing)) : note('desktop', message, desktopFix(missing));
}

function redisServer(): Finding {
  const path = findProgram('redis-server');
  if (path) return ok('redis-server', path);
  return problem('redis-server', 'not found on PATH', 'Run ./scripts/setup, or set REDIS_URL to a Redis 6.2 or newer.');
}

function disk({ state }: Installation): Finding {
  mkdirSync(state, { recursive: true });
  const { bavail, bsize } = statfsSync(state);
  const free = (bavail * bsize) / gigabyte;
  const text = `${free.toFixed(1)} GB free in ${state}`;
  if (free < 1) return problem('disk', text, 'Free disk space or set PILOTHOUSE_INSTALL_DIR to another disk.');
  if (free < 5) return note('disk', text, 'Enough for a few hundred runs with screenshots and video only.');
  return ok('disk', text);
}

async function port({ port: preferred, host }: UpConfig): Promise<Finding> {
  if (await isPortFree(preferred, host)) return ok('port', `${preferred} is free`);
  return note('port', `${preferred} is in use`, 'The next free port is used. Choose one with --port.');
}
