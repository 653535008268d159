import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PilothouseError } from '@pilothouse/contract';
import { createRequire } from 'node:module';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type Context, type EgressProxyFactory, raceDeadline, remainingMs } from '@pilothouse/core';
import type { Browser } from 'playwright-core';

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

/**
 * Of Chromium's features these are ours to switch off: processes of some 30 MB for each context, that show the suggestions of an
 * address bar nobody types into, and one that waits for a page; and the question to its maker what the fields of each form are.
 */
const WITHOUT = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
  'AutofillServerCommunication',
];

/**
 * One is ours to switch on: the network service in the browser's own process, as Chromium has it on small devices, which saves 17 of the 36 MB of one beside it. Under
 * Linux that one has no sandbox either; what crashes it now ends the browser, which its runs survive as they survive any other crash of it.
 */
const WITH = ['NetworkServiceInProcess2'];

/** What is put on the clipboard by selecting, and taken off it by the middle button, is of all runs alike: nobody gets it. */
const SETTINGS = ['middleClickPasteAllowed=false'];

const FEATURES = '--disable-features=';
const MORE_FEATURES = '--enable-features=';
const BLINK = '--blink-settings=';

/** What of Playwright's insides is used: the arguments that it starts Chromium with. */
interface Insides {
  readonly server: {
    createPlaywright(options: { sdkLanguage: string }): {
      readonly chromium: { defaultArgs(options: object, isPersistent: boolean, profile: string): Promise<string[]> };
    };
  };
}

/**
 * The arguments that switch features off and set up pages: Playwright's own, with ours added. Chromium takes the last such list alone,
 * so a list without Playwright's would undo what it asks for.
 * @returns none where Playwright does not say what its own lists are; then they have to stay alone
 */
export async function chromiumFeatureArgs(options: { readonly headless: boolean }): Promise<string[]> {
  try {
    const { server } = createRequire(import.meta.url)('playwright-core/lib/coreBundle') as Insides;
    const its = await server.createPlaywright({ sdkLanguage: 'javascript' }).chromium.defaultArgs(options, false, '');
    const extended = (name: string, ours: readonly string[]) => {
      const own = its.find((argument) => argument.startsWith(name));
      return own === undefined ? `${name}${ours.join()}` : `${own},${ours.join()}`;
    };
    return [extended(FEATURES, WITHOUT), extended(MORE_FEATURES, WITH), extended(BLINK, SETTINGS)];
  } catch {
    return [];
  }
}

/** Whether Chromium is started in a sandbox of its own: where it can be, always, or never. */
export type Sandbox = 'auto' | 'on' | 'off';

/** What the machine says of itself. */
export interface SandboxFacts {
  readonly isRoot: boolean;
  readonly isLinux: boolean;
  /** Whether a process may have a user namespace of its own; null when nobody could ask. */
  readonly namespaces: boolean | null;
  /** Whether a program may get more rights than who starts it (setuid); containers forbid it. */
  readonly mayGainRights: boolean;
}

/** Milliseconds for the question whether there are user namespaces; it takes some three. */
const ASKING_MS = 2000;

/**
 * Whether Chromium's sandbox works, as far as a look tells. It stands on user namespaces or on a helper that is setuid, and root
 * may not use it. A start that fails for want of it takes a second and more.
 * @returns null where only a start tells
 */
export function canUseSandbox({ isRoot, isLinux, namespaces, mayGainRights }: SandboxFacts): boolean | null {
  if (isRoot) return false;
  if (!isLinux || namespaces === null) return null;
  if (namespaces) return true;
  return mayGainRights ? null : false;
}

/** Looks at this machine. */
export async function sandboxFacts(): Promise<SandboxFacts> {
  const isLinux = process.platform === 'linux';
  const isRoot = process.getuid?.() === 0;
  if (!isLinux || isRoot) return { isRoot, isLinux, namespaces: null, mayGainRights: true };
  const [namespaces, status] = await Promise.all([
    hasNamespaces(),
    readFile('/proc/self/status', 'utf8').catch(() => ''),
  ]);
  return { isRoot, isLinux, namespaces, mayGainRights: !/^NoNewPrivs:\s*1$/m.test(status) };
}

/** Makes a user namespace, as Chromium would: settings of the kernel, seccomp and AppArmor all have their say then. */
function hasNamespaces(): Promise<boolean | null> {
  return new Promise((resolve) => {
    execFile('unshare', ['--user', '--map-root-user', 'true'], { timeout: ASKING_MS, env: { PATH } }, (error) => {
      if (error === null) resolve(true);
      else resolve(typeof error.code === 'number' ? false : null);
    });
  });
}

const PATH = '/usr/local/bin:/usr/bin:/bin';

/** How Chromium is started. */
export interface LaunchOptions {
  /** Path of the browser (default: looked for). */
  readonly executablePath?: string;
  /** Without a window (default: true). With a window a display is needed. */
  readonly headless?: boolean;
  /** The whole environment of Chromium (default: that of this process). */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it gets a sandbox of its own (default: `auto`, where that is possible). */
  readonly sandbox?: Sandbox;
  /** The way out for its pages (default: whatever way the machine has). */
  readonly egress?: Pick<EgressProxyFactory, 'open'>;
  /** More arguments for Chromium. */
  readonly args?: readonly string[];
}

/** No traffic of the browser's own, and shared memory in /tmp: containers give /dev/shm 64 MB. */
const ARGUMENTS = [
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
];

/**
 * What a page cannot do past its proxy: no packet of WebRTC, no name looked up. What is not of a run (Chromium's own errands) has no way out
 * at all. 127.0.0.1 is where the proxies are.
 */
const NO_OTHER_WAY = [
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** Loads Playwright, half of the time that a worker takes to start: who needs it soon calls this first. Never throws. */
export async function prepareLaunch(): Promise<void> {
  await import('playwright-core').catch(() => undefined);
}

/**
 * Starts Chromium, in its sandbox where that is possible: root cannot, and some containers cannot either.
 * @throws PilothouseError SURFACE_UNAVAILABLE
 */
export async function launchChromium(options: LaunchOptions, context: Context): Promise<Browser> {
  const { sandbox = 'auto' } = options;
  const looking = sandbox === 'auto' ? sandboxFacts().then(canUseSandbox) : Promise.resolve(sandbox === 'on');
  // A worker without a browser does not need it.
  const { chromium } = await import('playwright-core');
  const headless = options.headless ?? true;
  const lists = await chromiumFeatureArgs({ headless });
  const executablePath = findChromium(options.executablePath, [...chromiumPaths(), chromium.executablePath()]);
  const start = (chromiumSandbox: boolean) => {
    const launching = chromium.launch({
      executablePath,
      headless,
      chromiumSandbox,
      ...(options.environment && { env: { ...options.environment } }),
      args: [...ARGUMENTS, ...(options.egress ? NO_OTHER_WAY : []), ...lists, ...(options.args ?? [])],
      timeout: Math.max(1, remainingMs(context)),
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const started = raceDeadline(launching, context, 'The start of Chromium');
    /* A browser that comes up after nobody waits for it any more would stay for ever. */
    started.catch(() => launching.then((late) => late.close()).catch(() => undefined));
    return started;
  };
  try {
    const works = await looking;
    if (works !== false) {
      try {
        return await start(true);
      } catch (thrown) {
        if (sandbox === 'on' || context.signal.aborted || remainingMs(context) === 0) throw thrown;
      }
    }
    const browser = await start(false);
    if (sandbox === 'auto' && process.getuid?.() !== 0) {
      context.log.warn(
        { executablePath },
        'Chromium runs without its sandbox: allow user namespaces, or run it in a container of its own',
      );
    }
    return browser;
  } catch (thrown) {
    context.signal.throwIfAborted();
    const said = thrown instanceof Error ? thrown.message : String(thrown);
    throw new PilothouseError(
      'SURFACE_UNAVAILABLE',
      `Chromium (${executablePath}) did not start: ${said.slice(0, 1500)}`,
      { cause: thrown },
    );
  }
}
