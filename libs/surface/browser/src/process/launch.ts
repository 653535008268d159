import { PilothouseError } from '@pilothouse/contract';
import type { Context, EgressProxyFactory } from '@pilothouse/core';
import type { Browser } from 'playwright-core';
import { chromiumPaths, findChromium } from './executable.ts';
import { chromiumFeatureArgs } from './features.ts';
import { sandboxFacts, canUseSandbox, type Sandbox } from './sandbox.ts';
import { raceDeadline, remainingMs } from '../wait.ts';

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
