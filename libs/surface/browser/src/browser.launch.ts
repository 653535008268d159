import { PilothouseError } from '@pilothouse/contract';
import type { Context } from '@pilothouse/core';
import type { Browser } from 'playwright-core';
import { chromiumPaths, findChromium } from './browser.executable.ts';
import { bounded, left } from './wait.ts';

/** How Chromium is started. */
export interface LaunchOptions {
  /** Path of the browser (default: looked for). */
  readonly executablePath?: string;
  /** Without a window (default: true). With a window a display is needed. */
  readonly headless?: boolean;
  /** The whole environment of Chromium (default: that of this process). */
  readonly environment?: Readonly<Record<string, string>>;
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
  /*
   * A second list replaces the first, so this one holds what Playwright (1.65) switches off, too. The last four are of ours: a process
   * of 30 MB for each context that shows the suggestions of an address bar nobody types into, and one that waits for a page.
   */
  `--disable-features=${[
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'HttpsFirstBalancedModeAutoEnable',
    'LensOverlay',
    'MediaRouter',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
    'AvoidCorsURLLoaderRestartOnRedirect',
    'TcpPortRandomizationWin',
    'OptimizationHints',
    'NetworkTimeServiceQuerying',
    'AimEnabled',
    'PreconnectToSearch',
    'WebUIOmniboxPopup',
    'WebUIOmniboxAimPopup',
    'WebUIOmniboxFullPopup',
    'SpareRendererForSitePerProcess',
  ].join()}`,
];

const isRoot = () => process.getuid?.() === 0;

/**
 * Starts Chromium, in its sandbox where that is possible: root cannot, and some containers cannot either.
 * @throws PilothouseError SURFACE_UNAVAILABLE
 */
export async function launchChromium(options: LaunchOptions, context: Context): Promise<Browser> {
  // Half of the time that a worker takes to start, and one without a browser does not need it.
  const { chromium } = await import('playwright-core');
  const executablePath = findChromium(options.executablePath, [...chromiumPaths(), chromium.executablePath()]);
  const start = (chromiumSandbox: boolean) => {
    const launching = chromium.launch({
      executablePath,
      headless: options.headless ?? true,
      chromiumSandbox,
      ...(options.environment && { env: { ...options.environment } }),
      args: [...ARGUMENTS, ...(options.args ?? [])],
      timeout: Math.max(1, left(context)),
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const started = bounded(launching, context, 'The start of Chromium');
    /* A browser that comes up after nobody waits for it any more would stay for ever. */
    started.catch(() => launching.then((late) => late.close()).catch(() => undefined));
    return started;
  };
  try {
    if (isRoot()) return await start(false);
    try {
      return await start(true);
    } catch (thrown) {
      if (context.signal.aborted || left(context) === 0) throw thrown;
      const browser = await start(false);
      context.log.warn(
        { executablePath },
        'Chromium started only without its sandbox: allow user namespaces, or run it in a container of its own',
      );
      return browser;
    }
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
