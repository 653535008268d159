import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createRequire } from 'node:module';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { EgressProxyFactory } from '@pilothouse/core/ports/egress.port';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import { raceDeadline, remainingMs } from '@pilothouse/core/time/deadlines';
import type { Browser } from 'playwright-core';

const macApps = ['Google Chrome', 'Chromium', 'Microsoft Edge'];

/** Returns common paths of Chromium, the most likely first. */
export function chromiumPaths(platform = process.platform, home = homedir()): string[] {
  if (platform === 'darwin') {
    const inside = (folder: string) => macApps.map((app) => join(folder, `${app}.app`, 'Contents', 'MacOS', app));
    return [...inside('/Applications'), ...inside(join(home, 'Applications')), '/opt/homebrew/bin/chromium'];
  }
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
  return ['/usr/bin', '/usr/local/bin', '/snap/bin'].flatMap((folder) => names.map((name) => join(folder, name)));
}

/**
 * Returns the executable to run: the given one, otherwise the first existing path.
 * @throws PilothouseError SURFACE_UNAVAILABLE with installation instructions
 */
export function findChromium(configuredPath?: string, paths = chromiumPaths()): string {
  if (configuredPath !== undefined) {
    if (existsSync(configuredPath)) return configuredPath;
    throw new PilothouseError(
      'SURFACE_UNAVAILABLE',
      `No browser found at ${configuredPath}; correct the path or omit it`,
    );
  }
  const existingPath = paths.find((path) => path !== '' && existsSync(path));
  if (existingPath) return existingPath;
  throw new PilothouseError(
    'SURFACE_UNAVAILABLE',
    'No Chromium was found. Install it (Debian, Ubuntu: `apt-get install chromium`; Mac: `brew install --cask chromium`) or configure its path.',
    { details: { looked: paths } },
  );
}

/**
 * Features of Chromium to disable. Two start processes of about 30 MB per context: address bar suggestions and a spare
 * renderer. One sends requests to Google about form fields.
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
  'AutofillServerCommunication',
];

/**
 * Runs the network service in the browser process, as on small devices, which saves 17 of 36 MB. On Linux the service
 * has no sandbox in either case. A crash of it now ends the browser, and runs recover as after any other crash.
 */
const ENABLED_FEATURES = ['NetworkServiceInProcess2'];

/** The primary selection is shared by all runs, so pasting it is disabled. */
const BLINK_SETTINGS = ['middleClickPasteAllowed=false'];

const DISABLE_FLAG = '--disable-features=';
const ENABLE_FLAG = '--enable-features=';
const BLINK_FLAG = '--blink-settings=';

/** The internal API of Playwright that returns its launch arguments. */
interface PlaywrightInternals {
  readonly server: {
    createPlaywright(options: { sdkLanguage: string }): {
      readonly chromium: { defaultArgs(options: object, isPersistent: boolean, profile: string): Promise<string[]> };
    };
  };
}

/**
 * Returns the arguments that disable features and configure pages: Playwright's lists with ours appended. Chromium
 * uses only the last list, so a list without Playwright's would undo its settings.
 * @returns none if Playwright's lists are unknown
 */
export async function chromiumFeatureArgs(options: { readonly headless: boolean }): Promise<string[]> {
  try {
    const { server } = createRequire(import.meta.url)('playwright-core/lib/coreBundle') as PlaywrightInternals;
    const defaultArgs = await server
      .createPlaywright({ sdkLanguage: 'javascript' })
      .chromium.defaultArgs(options, false, '');
    const extendArgument = (name: string, additions: readonly string[]) => {
      const existing = defaultArgs.find((argument) => argument.startsWith(name));
      return existing === undefined ? `${name}${additions.join()}` : `${existing},${additions.join()}`;
    };
    return [
      extendArgument(DISABLE_FLAG, DISABLED_FEATURES),
      extendArgument(ENABLE_FLAG, ENABLED_FEATURES),
      extendArgument(BLINK_FLAG, BLINK_SETTINGS),
    ];
  } catch {
    return [];
  }
}

/** Sandbox of Chromium: if possible, always, or never. */
export type Sandbox = 'auto' | 'on' | 'off';

/** Facts about the machine. */
export interface SandboxFacts {
  readonly isRoot: boolean;
  readonly isLinux: boolean;
  /** True if a process can create a user namespace; null if unknown. */
  readonly namespaces: boolean | null;
  /** True if a program can gain privileges (setuid). Containers forbid it. */
  readonly canGainPrivileges: boolean;
}

/** Timeout of the namespace check, which takes about 3 ms. */
const NAMESPACE_CHECK_TIMEOUT_MS = 2000;

/**
 * Predicts whether Chromium's sandbox works. It needs user namespaces or a setuid helper, and root cannot use it. A
 * failed start costs a second or more.
 * @returns null if only a start can determine it
 */
export function canUseSandbox({
  isRoot,
  isLinux,
  namespaces,
  canGainPrivileges: mayGainRights,
}: SandboxFacts): boolean | null {
  if (isRoot) return false;
  if (!isLinux || namespaces === null) return null;
  if (namespaces) return true;
  return mayGainRights ? null : false;
}

/** Collects the facts about this machine. */
export async function sandboxFacts(): Promise<SandboxFacts> {
  const isLinux = process.platform === 'linux';
  const isRoot = process.getuid?.() === 0;
  if (!isLinux || isRoot) return { isRoot, isLinux, namespaces: null, canGainPrivileges: true };
  const [namespaces, status] = await Promise.all([
    hasNamespaces(),
    readFile('/proc/self/status', 'utf8').catch(() => ''),
  ]);
  return { isRoot, isLinux, namespaces, canGainPrivileges: !/^NoNewPrivs:\s*1$/m.test(status) };
}

/** Creates a user namespace as Chromium would, subject to kernel settings, seccomp and AppArmor. */
function hasNamespaces(): Promise<boolean | null> {
  return new Promise((resolve) => {
    execFile(
      'unshare',
      ['--user', '--map-root-user', 'true'],
      { timeout: NAMESPACE_CHECK_TIMEOUT_MS, env: { PATH } },
      (error) => {
        if (error === null) resolve(true);
        else resolve(typeof error.code === 'number' ? false : null);
      },
    );
  });
}

const PATH = '/usr/local/bin:/usr/bin:/bin';

/** Options for starting Chromium. */
export interface LaunchOptions {
  /** Path of the browser (default: searched). */
  readonly executablePath?: string;
  /** No window (default: true). A window needs a display. */
  readonly headless?: boolean;
  /** Complete environment of Chromium (default: that of this process). */
  readonly environment?: Readonly<Record<string, string>>;
  /** Sandbox (default: `auto`). */
  readonly sandbox?: Sandbox;
  /** Egress proxies of its pages (default: direct connections). */
  readonly egress?: Pick<EgressProxyFactory, 'open'>;
  /** Additional arguments of Chromium. */
  readonly args?: readonly string[];
}

/** Disables background traffic, and uses /tmp for shared memory because containers limit /dev/shm to 64 MB. */
const ARGUMENTS = [
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
];

/**
 * Prevents pages from bypassing the proxy: no WebRTC packets, no DNS lookups. Background requests of Chromium itself
 * have no route at all. The proxies listen on 127.0.0.1.
 */
const PROXY_ONLY_ARGUMENTS = [
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** Loads Playwright ahead of time, which takes half of a worker's start. Never throws. */
export async function prepareLaunch(): Promise<void> {
  await import('playwright-core').catch(() => undefined);
}

/**
 * Starts Chromium, with its sandbox if possible. Root and some containers cannot use it.
 * @throws PilothouseError SURFACE_UNAVAILABLE
 */
export async function launchChromium(options: LaunchOptions, context: Context): Promise<Browser> {
  const { sandbox = 'auto' } = options;
  const sandboxCheck = sandbox === 'auto' ? sandboxFacts().then(canUseSandbox) : Promise.resolve(sandbox === 'on');
  // Loaded on demand, because workers without a browser do not need it.
  const { chromium } = await import('playwright-core');
  const headless = options.headless ?? true;
  const featureArgs = await chromiumFeatureArgs({ headless });
  const executablePath = findChromium(options.executablePath, [...chromiumPaths(), chromium.executablePath()]);
  const start = (chromiumSandbox: boolean) => {
    const launching = chromium.launch({
      executablePath,
      headless,
      chromiumSandbox,
      ...(options.environment && { env: { ...options.environment } }),
      args: [...ARGUMENTS, ...(options.egress ? PROXY_ONLY_ARGUMENTS : []), ...featureArgs, ...(options.args ?? [])],
      timeout: Math.max(1, remainingMs(context)),
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const browserStart = raceDeadline(launching, context, 'Starting Chromium');
    // A browser that starts after the deadline has to be closed.
    browserStart.catch(() => launching.then((browser) => browser.close()).catch(() => undefined));
    return browserStart;
  };
  try {
    const sandboxWorks = await sandboxCheck;
    if (sandboxWorks !== false) {
      try {
        return await start(true);
      } catch (error) {
        if (sandbox === 'on' || context.signal.aborted || remainingMs(context) === 0) throw error;
      }
    }
    const browser = await start(false);
    if (sandbox === 'auto' && process.getuid?.() !== 0) {
      context.log.warn(
        { executablePath },
        'Chromium runs without its sandbox: allow user namespaces, or run it in a separate container',
      );
    }
    return browser;
  } catch (launchError) {
    context.signal.throwIfAborted();
    const message = launchError instanceof Error ? launchError.message : String(launchError);
    throw new PilothouseError(
      'SURFACE_UNAVAILABLE',
      `Chromium (${executablePath}) did not start: ${message.slice(0, 1500)}`,
      { cause: launchError },
    );
  }
}
