import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { EgressEnforcement } from '@pilothouse/contract/worker/from-worker.messages';
import { systemClock, type Log } from '@pilothouse/core/ports/runtime.port';
import type { SurfaceHost } from '@pilothouse/core/ports/surface.port';
import { missingDesktopPackages, type WorkerConfig } from '@pilothouse/infra-config';
import { startEgressProxy, type WorkerEgress } from '@pilothouse/infra-egress';
import { BrowserHost, prepareLaunch, createTrustingHome } from '@pilothouse/surface-browser';
import { DesktopHost, MachineSessions, SlotSessions, type SessionLauncher } from '@pilothouse/surface-desktop';
import { existsSync } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MetricsBuffer } from '../telemetry/metrics-buffer.ts';
import { startVirtualDisplay, type VirtualDisplay } from './virtual-display.ts';
import { HttpSurfaceHost } from './http.surface.ts';
import { NullSurfaceHost } from './null.surface.ts';

/** Milliseconds for the browser to start. */
const WARM_MS = 30_000;

/** Mode bit of a folder that other users may pass through. */
const OTHERS_MAY_PASS = 0o001;

/** A started surface host with its dependencies. */
export interface SurfaceRuntime {
  readonly host: SurfaceHost;
  /** Egress of its surfaces; undefined: nothing connects, or specs connect directly. */
  readonly egress?: WorkerEgress;
  /** Egress enforcement for programs that ignore proxy settings; undefined: the surface has no such programs. */
  readonly egressEnforcement?: EgressEnforcement;
  /** Runs after which the worker ends, because nothing separates its runs; undefined: no limit. */
  readonly maxRuns?: number;
  /** Resolves when a dependency of the host is lost: no surface can be opened any more. */
  readonly displayExited: Promise<void>;
  close(): Promise<void>;
}

/** Settings that select and configure the host. */
export interface SurfaceRuntimeConfig extends Pick<
  WorkerConfig,
  | 'surface'
  | 'slots'
  | 'headless'
  | 'display'
  | 'browser'
  | 'chromiumPath'
  | 'sandbox'
  | 'extraCaCerts'
  | 'childEnvironment'
> {
  /** Commands that a desktop may start, by name. */
  readonly desktopCommands?: WorkerConfig['desktopCommands'];
  readonly desktopSlots?: WorkerConfig['desktopSlots'];
  /** Folder for temporary files. */
  readonly temporary: string;
}

/** Maximum characters of a folder for Chromium's socket: a socket name has at most 107, and Chromium adds 50. */
const SOCKET_FOLDER = 56;

/**
 * Starts the configured host: a headed browser if there is a display or Xvfb can provide one, else a headless one.
 * @throws PilothouseError SURFACE_UNAVAILABLE
 */
export function startSurfaceRuntime(
  config: SurfaceRuntimeConfig,
  log: Log,
  signal: AbortSignal,
  metrics: Pick<MetricsBuffer, 'count'>,
): Promise<SurfaceRuntime> {
  return starters[config.surface](config, log, signal, metrics);
}

type SurfaceStarter = (...parameters: Parameters<typeof startSurfaceRuntime>) => Promise<SurfaceRuntime>;

const starters: Readonly<Record<WorkerConfig['surface'], SurfaceStarter>> = {
  browser: startBrowserRuntime,
  desktop: startDesktopRuntime,
  http: () => Promise.resolve(runtimeOf(new HttpSurfaceHost())),
  null: () => Promise.resolve(runtimeOf(new NullSurfaceHost())),
};

/** A host without dependencies. */
const runtimeOf = (host: SurfaceHost): SurfaceRuntime => ({
  host,
  displayExited: new Promise(() => undefined),
  close: () => host.close(),
});

async function startBrowserRuntime(
  config: SurfaceRuntimeConfig,
  log: Log,
  signal: AbortSignal,
  metrics: Pick<MetricsBuffer, 'count'>,
): Promise<SurfaceRuntime> {
  const [display, home] = await Promise.all([displayFor(config, log), homeFor(config), prepareLaunch()]);
  const name = display?.name ?? config.display;
  const headless = config.headless === 'true' || name === undefined;
  const egress = startEgressProxy();
  const host = new BrowserHost({
    ...(config.chromiumPath !== undefined && { executablePath: config.chromiumPath }),
    ...config.browser,
    headless,
    slots: config.slots,
    sandbox: config.sandbox,
    egress,
    environment: {
      ...config.childEnvironment,
      ...home,
      ...(display && { XAUTHORITY: display.authority }),
      ...(config.temporary.length <= SOCKET_FOLDER && { TMPDIR: config.temporary }),
    },
    onReplaced: (reason) => metrics.count('worker_browsers_replaced_total', { reason }),
    args: headless ? [] : [`--display=${name}`],
  });
  const close = async () => {
    await host.close();
    await egress.close();
    await display?.stop();
  };
  try {
    await host.warm({ signal, deadline: systemClock.monotonic() + WARM_MS, log });
  } catch (thrown) {
    await close();
    throw thrown;
  }
  log.info({ headless, display: name ?? null }, 'browser warmed up');
  return { host, egress, displayExited: display?.exited ?? new Promise(() => undefined), close };
}

/** Folder of a session in the container of a slot. */
const SLOT_SESSION_FOLDER = '/home/desktop';

async function startDesktopRuntime(config: SurfaceRuntimeConfig, log: Log): Promise<SurfaceRuntime> {
  const { temporary, childEnvironment, desktopCommands, desktopSlots } = config;
  const missing = missingDesktopPackages().join(' ');
  if (missing)
    throw new PilothouseError(
      'SURFACE_UNAVAILABLE',
      `A desktop needs packages that are not installed. Debian, Ubuntu: apt-get install ${missing}`,
    );
  if (desktopSlots) return startSlotRuntime(config, desktopSlots, log);
  await allowTraversal(temporary);
  const egress = startEgressProxy();
  const sessions = new MachineSessions({
    folder: temporary,
    launcher: desktopSessionLauncher(),
    environment: childEnvironment,
    ...(desktopCommands && { commands: desktopCommands }),
    egress,
    log,
  });
  const isolation = await sessions.isolation();
  // A program could reach the next session, also while it waits for its run.
  const isSingleUse = !isolation.hasOwnView;
  const host = new DesktopHost({ sessions, environment: childEnvironment, isSingleUse });
  const close = await warmDesktop(host, egress);
  const { hasOwnNetwork, hasOwnUser, hasOwnView, reason } = isolation;
  const egressEnforcement = hasOwnNetwork ? 'network' : 'settings';
  log.info({ egressEnforcement, hasOwnUser, hasOwnView }, 'desktop session ready');
  if (isSingleUse)
    log.warn({ reason }, 'desktop sessions share processes and files, the worker ends after its first run');
  return {
    ...{ host, egress, egressEnforcement, close },
    ...(isSingleUse && { maxRuns: 1 }),
    displayExited: new Promise(() => undefined),
  };
}

/** Starts the first session. Closes host and egress if it does not start. @returns a function that closes both */
async function warmDesktop(host: DesktopHost, egress: WorkerEgress): Promise<() => Promise<void>> {
  const close = async () => {
    await host.close();
    await egress.close();
  };
  try {
    await host.warm();
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}

/** Sessions run in containers beside that of the worker, with the network of the pod. */
async function startSlotRuntime(
  { slots, childEnvironment, desktopCommands }: SurfaceRuntimeConfig,
  desktopSlots: NonNullable<WorkerConfig['desktopSlots']>,
  log: Log,
): Promise<SurfaceRuntime> {
  const egress = startEgressProxy();
  const sessions = new SlotSessions({
    ...desktopSlots,
    ...{ slots, egress, log, sessionFolder: SLOT_SESSION_FOLDER },
    // Paths and names of the worker's container mean nothing in that of a slot.
    environment: { LC_ALL: childEnvironment.LC_ALL ?? 'C.UTF-8' },
    ...(desktopCommands && { commands: desktopCommands }),
  });
  const host = new DesktopHost({ sessions, environment: childEnvironment });
  const close = await warmDesktop(host, egress);
  log.info({ slots }, 'desktop session ready in the container of a slot');
  return { host, egress, egressEnforcement: 'settings', displayExited: new Promise(() => undefined), close };
}

/**
 * Lets the users of sessions pass through the folders of a worker that runs as root, without listing them. Below them, every folder belongs
 * to one attempt or session, and is closed to others. Leaves folders that everyone passes through as they are, such as `/tmp`.
 */
async function allowTraversal(temporary: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  for (const folder of [temporary, dirname(temporary), dirname(dirname(temporary))]) {
    const { mode } = await stat(folder);
    if ((mode & OTHERS_MAY_PASS) === 0) await chmod(folder, (mode & 0o7777) | OTHERS_MAY_PASS);
  }
}

/** The session process: a file beside the bundle, or the TypeScript source. */
function desktopSessionLauncher(): SessionLauncher {
  const bundle = fileURLToPath(new URL('./desktop-session.js', import.meta.url));
  if (existsSync(bundle)) return { entry: bundle };
  const source = fileURLToPath(import.meta.resolve('@pilothouse/surface-desktop/session-process'));
  return { entry: source, execArgv: ['--experimental-transform-types', '--no-warnings'] };
}

/** Home folder of a browser that trusts additional authorities; without any, the home of the worker. */
async function homeFor({
  extraCaCerts: trustedAuthorities,
  temporary,
  childEnvironment,
}: SurfaceRuntimeConfig): Promise<{ HOME?: string }> {
  if (trustedAuthorities.length === 0) return {};
  return {
    HOME: await createTrustingHome({
      authorities: trustedAuthorities,
      folder: join(temporary, 'home'),
      environment: childEnvironment,
    }),
  };
}

/** Starts the virtual display if one is needed; null: none is needed or wanted. */
async function displayFor(
  { headless, display, childEnvironment, temporary }: SurfaceRuntimeConfig,
  log: Log,
): Promise<VirtualDisplay | null> {
  if (headless === 'true' || display !== undefined) return null;
  const virtualDisplay = await startVirtualDisplay(childEnvironment, log, temporary);
  if (virtualDisplay || headless === 'auto') return virtualDisplay;
  throw new PilothouseError(
    'SURFACE_UNAVAILABLE',
    'PILOTHOUSE_HEADLESS is false, but no display is available. Set DISPLAY, or install Xvfb (Debian, Ubuntu: `apt-get install xvfb`)',
  );
}
