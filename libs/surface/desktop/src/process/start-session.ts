import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Clipboard } from '../x/clipboard.ts';
import { Keyboard } from '../x/keyboard.ts';
import { WindowManager } from '../x/window-manager.ts';
import { WindowPing } from '../x/window-ping.ts';
import { predefinedAtoms, XConnection } from '../x/x-connection.ts';
import { defaultSessionOptions, type SessionOptions } from './session-options.ts';
import { splitLayout } from './keyboard-layout.ts';
import { watchMemory } from './memory-watch.ts';
import { egressEnvironment } from './egress-environment.ts';
import { PROGRAM_PATH, SessionProcesses } from './session-processes.ts';
import { startSocketRelay, type SocketRelay } from './socket-relay.ts';
import { authorityFile, writeAuthority } from './x-authority.ts';

/** A scalable font for xterm: OCR reads 38 of 44 words in its bitmap font, and all in this one. */
const XTERM_RESOURCES = 'XTerm*faceName:\tMonospace\nXTerm*faceSize:\t10\n';

/** GTK 4 repaints its whole window at each blink of the caret. */
const GTK4_SETTINGS = '[Settings]\ngtk-cursor-blink=false\n';

/** Milliseconds for all servers of a session to start. */
const START_TIMEOUT_MS = 15_000;

/** Milliseconds for killed processes to disappear. */
const KILL_TIMEOUT_MS = 5_000;

/** Maximum characters of TMPDIR: the path of a socket has at most 107, and Chromium adds 50. */
const MAX_TEMPORARY_CHARACTERS = 56;

/** Directories that may hold the launcher of the accessibility bus: Debian, and distributions without libexec. */
const AT_SPI_LAUNCHERS = ['/usr/libexec/at-spi-bus-launcher', '/usr/lib/at-spi2-core/at-spi-bus-launcher'];

/** A running session: X server, D-Bus, accessibility bus and window manager. */
export interface Session {
  readonly display: string;
  readonly home: string;
  /** Environment of programs in the session. */
  readonly env: Readonly<Record<string, string>>;
  readonly x: XConnection;
  readonly windows: WindowManager;
  readonly ping: WindowPing;
  readonly keyboard: Keyboard;
  readonly clipboard: Clipboard;
  readonly processes: SessionProcesses;
  readonly timers: Timers;
  /** Aborts with the reason when a server of the session exits by itself. */
  readonly lossSignal: AbortSignal;
  /** @returns ids of processes that could not be ended */
  stop(): Promise<number[]>;
}

/** Options of a session with its identity. */
export interface StartOptions extends SessionOptions {
  /** Marks the processes of the session. */
  readonly id: string;
  /** Value of DISPLAY, a free number such as `:4711`. This process has it, and XAUTHORITY, in its environment. */
  readonly display: string;
  /** User and group of this process and of all programs from now on; null: unchanged. */
  readonly uid: number | null;
}

/**
 * Starts a session. A process has one session: nut-js and npm x11 read the environment once.
 * @throws Error with the program that did not start; nothing stays behind
 */
export async function startSession(options: StartOptions, timers: Timers = systemTimers): Promise<Session> {
  if (options.uid !== null) becomeUser(options.uid);
  const home = join(options.folder, 'home');
  const runtimeFolder = join(options.folder, 'runtime');
  const temporaryFolder = join(options.folder, 'tmp');
  await Promise.all(
    [home, runtimeFolder, temporaryFolder].map((folder) => mkdir(folder, { recursive: true, mode: 0o700 })),
  );
  await writeGtk4Settings(home);
  const log = await open(join(options.folder, 'session.log'), 'a', 0o600);
  const lost = new AbortController();
  const stopping = new AbortController();
  const onExit = (program: string, code: number | null) => {
    if (!stopping.signal.aborted) lost.abort(new Error(`${program} of the desktop session exited with code ${code}`));
  };
  const processes = new SessionProcesses(options, log.fd, onExit, timers);
  let x: XConnection | undefined;
  let relay: SocketRelay | undefined;
  const stop = async () => {
    stopping.abort();
    x?.close();
    await relay?.close();
    const remaining = await processes.killAll(KILL_TIMEOUT_MS);
    await log.close();
    return remaining;
  };
  try {
    const authority = authorityFile(options.folder);
    await writeAuthority(authority, randomBytes(16));
    const base = { ...baseEnvironment(options, home, runtimeFolder, authority), ...egressEnvironment(options.egress) };
    if (temporaryFolder.length <= MAX_TEMPORARY_CHARACTERS) base.TMPDIR = temporaryFolder;
    if (options.egress?.socket)
      relay = await startSocketRelay({ port: options.egress.port }, { path: options.egress.socket });
    const { display } = options;
    const [, bus] = await Promise.all([
      startXServer(processes, options, base, authority, timers),
      // Programs that the bus starts need the display, too.
      startBus(processes, { ...base, DISPLAY: display }, home, timers),
    ]);
    const env = { ...base, DISPLAY: display, DBUS_SESSION_BUS_ADDRESS: bus };
    const essential = { env, cwd: home, isEssential: true };
    const [connection] = await Promise.all([
      prepareDisplay(processes, options, env, timers),
      processes.start('openbox', ['--sm-disable'], essential),
      startAccessibility(processes, env, home),
    ]);
    x = connection;
    const windows = new WindowManager(x);
    const ping = await WindowPing.create(x);
    const [keyboard, clipboard] = await Promise.all([
      Keyboard.create(x, ping),
      Clipboard.create(x),
      windows.ready(AbortSignal.timeout(START_TIMEOUT_MS)),
    ]);
    watchMemory(
      () => processes.memoryMb(),
      options.maxMemoryMb,
      (measuredMb) =>
        lost.abort(
          new Error(`The desktop session uses ${measuredMb} MB, above its limit of ${options.maxMemoryMb} MB`),
        ),
      stopping.signal,
      { timers },
    );
    x.lossSignal.addEventListener('abort', () => {
      if (!stopping.signal.aborted) lost.abort(new Error('The X server of the desktop session closed the connection'));
    });
    const devices = { x, windows, ping, keyboard, clipboard };
    return { display, home, env, ...devices, processes, timers, lossSignal: lost.signal, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Continues as a user. The session bus rejects clients of any other user, including root. */
function becomeUser(uid: number): void {
  process.setgroups?.([]);
  process.setgid?.(uid);
  process.setuid?.(uid);
}

async function writeGtk4Settings(home: string): Promise<void> {
  const folder = join(home, '.config/gtk-4.0');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'settings.ini'), GTK4_SETTINGS);
}

function baseEnvironment(
  { locale, timezoneId, dpi, environment }: SessionOptions,
  home: string,
  runtimeFolder: string,
  authority: string,
): Record<string, string> {
  return {
    ...environment,
    PATH: PROGRAM_PATH,
    HOME: home,
    LANG: locale,
    // The worker sets it for its own programs; it wins over LANG.
    LC_ALL: locale,
    LANGUAGE: '',
    TZ: timezoneId,
    XDG_RUNTIME_DIR: runtimeFolder,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_SESSION_TYPE: 'x11',
    XDG_CURRENT_DESKTOP: 'Openbox',
    XAUTHORITY: authority,
    // Applications publish their accessibility tree only when these ask for it.
    GTK_MODULES: 'gail:atk-bridge',
    GTK_A11Y: 'atspi',
    NO_AT_BRIDGE: '0',
    QT_ACCESSIBILITY: '1',
    QT_LINUX_ACCESSIBILITY_ALWAYS_ON: '1',
    QT_FONT_DPI: String(dpi),
    ACCESSIBILITY_ENABLED: '1',
    GNOME_ACCESSIBILITY: '1',
    // In a file of the home folder, so that a profile can set them.
    GSETTINGS_BACKEND: 'keyfile',
  };
}

/** @throws Error if the display number is in use */
async function startXServer(
  processes: SessionProcesses,
  { width, height, dpi, display }: StartOptions,
  env: Record<string, string>,
  authority: string,
  timers: Timers,
): Promise<void> {
  const screen = ['-screen', '0', `${width}x${height}x24`, '-dpi', String(dpi)];
  const access = ['-auth', authority, '-nolisten', 'tcp', '-noreset'];
  const cwd = env.HOME ?? '/';
  const args = [display, '-displayfd', '3', ...screen, ...access];
  const server = await processes.start('Xvfb', args, { env, cwd, isEssential: true, extra: ['pipe'] });
  await firstLine(server.stdio[3] as Readable, 'Xvfb', timers);
}

/** Sets the keyboard layout and the scale of fonts. Applications read both when they connect. */
async function prepareDisplay(
  processes: SessionProcesses,
  { display, dpi, keyboardLayout }: StartOptions,
  env: Record<string, string>,
  timers: Timers,
): Promise<XConnection> {
  const [x] = await Promise.all([
    XConnection.connect(display, timers),
    setKeyboardLayout(processes, keyboardLayout, env),
  ]);
  const resources = Buffer.from(`Xft.dpi:\t${dpi}\n${XTERM_RESOURCES}`);
  x.client.ChangeProperty(0, x.root, predefinedAtoms.RESOURCE_MANAGER, predefinedAtoms.STRING, 8, resources);
  await x.sync();
  return x;
}

/** @throws Error if the layout cannot be compiled */
async function setKeyboardLayout(
  processes: SessionProcesses,
  keyboardLayout: string,
  env: Record<string, string>,
): Promise<void> {
  if (keyboardLayout === defaultSessionOptions.keyboardLayout) return;
  const { layout, variant } = splitLayout(keyboardLayout);
  // The second group has Latin letters: without them, toolkits find no Ctrl+C.
  const args = ['-layout', `${layout},us`, '-variant', `${variant},`];
  const child = await processes.start('setxkbmap', args, { env, cwd: env.HOME ?? '/' });
  const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(START_TIMEOUT_MS) })) as [number | null];
  if (code !== 0) throw new Error(`setxkbmap cannot set the keyboard layout ${keyboardLayout}`);
}

/** @returns the address of the session bus */
async function startBus(
  processes: SessionProcesses,
  env: Record<string, string>,
  cwd: string,
  timers: Timers,
): Promise<string> {
  const address = `--address=unix:path=${join(env.XDG_RUNTIME_DIR ?? '', 'bus')}`;
  const args = ['--session', '--nofork', '--nopidfile', address, '--print-address=3'];
  const bus = await processes.start('dbus-daemon', args, { env, cwd, isEssential: true, extra: ['pipe'] });
  const printed = await firstLine(bus.stdio[3] as Readable, 'dbus-daemon', timers);
  return printed.split(',guid')[0] ?? printed;
}

async function startAccessibility(
  processes: SessionProcesses,
  env: Record<string, string>,
  cwd: string,
): Promise<void> {
  const failures: unknown[] = [];
  for (const launcher of AT_SPI_LAUNCHERS) {
    try {
      await processes.start(launcher, ['--launch-immediately'], { env, cwd, isEssential: true });
      return;
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

/** @throws Error when the program exits, or prints nothing for 15 s */
async function firstLine(output: Readable, program: string, timers: Timers): Promise<string> {
  const timer = timers.setTimeout(() => output.destroy(), START_TIMEOUT_MS);
  let text = '';
  try {
    for await (const chunk of output.setEncoding('utf8')) {
      text += String(chunk);
      if (text.includes('\n')) return text.trim();
    }
  } catch {
    // The timer closed the pipe.
  } finally {
    timers.clearTimeout(timer);
  }
  throw new Error(`${program} did not start; see the log of the session`);
}
