/** The process of one desktop session. Serves the calls of the worker until its channel closes. */
import { Socket } from 'node:net';
import sharp from 'sharp';
import { MASK } from '@pilothouse/core/secret/secret-masker';
import { systemTimers } from '@pilothouse/core/time/timers';
import { joinTexts } from './accessibility/window-text.ts';
import { AccessibilityBus } from './accessibility/accessibility-bus.ts';
import { SheetCells } from './accessibility/sheet-cells.ts';
import {
  filesNamed,
  homeFile,
  HomePathError,
  isHomeFolder,
  makeHomeFolder,
  matchingFiles,
  readChunk,
  writeChunk,
} from './files/home-files.ts';
import { NutInput } from './input/nut-input.ts';
import { findImageOnScreen } from './screen/find-image.ts';
import { ScreenOcr } from './screen/screen-ocr.ts';
import { StoredScreenshots } from './screen/stored-screenshots.ts';
import { cropScreenshot } from './screen/window-screenshot.ts';
import { ScreenCapture } from './x/screen-capture.ts';
import { isChromium, withBrowserOptions } from './chromium/browser-command.ts';
import { BrowserPages } from './chromium/browser-pages.ts';
import { findAppCommand, installedApps } from './process/desktop-entry.ts';
import { captureRedacted, type RedactingSession } from './redaction/redacted-capture.ts';
import { observeWindow, readTextOfWindow, type AccessibilityReaders } from './observation/observe-window.ts';
import { pidOfPageBus } from './chromium/page-nodes.ts';
import { PasswordTracker } from './redaction/password-tracker.ts';
import { referencesOf } from './redaction/secret-fields.ts';
import { SecretRedactor } from './redaction/secret-redactor.ts';
import type {
  CapturedImage,
  CaptureOptions,
  ProcedureName,
  ProgramExit,
  SessionMessage,
  SessionProcedures,
  SessionRequest,
} from './session/session-protocol.ts';
import { CHANNEL_FD, FrameChannel } from './session/frame-channel.ts';
import type { SessionOptions } from './process/session-options.ts';
import { startSession, type Session } from './process/start-session.ts';
import { isSameProgram } from './process/program-family.ts';
import { enterText } from './typing/enter-text.ts';
import { hasReadKeys } from './typing/read-keys.ts';
import { PendingCopy } from './typing/pending-copy.ts';

/** Maximum characters of a reason in `TextReadback`. */
const MAX_REASON_CHARACTERS = 500;

/** Milliseconds for a clicked field of a page to get the focus. A field may open a list or dialog, which has the focus then. */
const FOCUS_TIMEOUT_MS = 500;

/** Milliseconds for the accessibility bus to answer. */
const BUS_TIMEOUT_MS = 20_000;

const JPEG_QUALITY = 85;

/** Characters above which `readText` returns null. */
const MAX_TEXT_CHARACTERS = 1_000_000;

interface RunningSession extends Session {
  readonly input: NutInput;
  readonly screen: ScreenCapture;
  readonly text: ScreenOcr;
  readonly bus: Promise<AccessibilityBus>;
  readonly commands: SessionOptions['commands'];
  readonly pendingCopy: PendingCopy;
  readonly egress: SessionOptions['egress'];
  readonly accessibility: Promise<AccessibilityReaders>;
  readonly redactor: SecretRedactor;
  readonly passwords: PasswordTracker;
  readonly pages: BrowserPages;
  readonly screenshots: StoredScreenshots;
}

/** Programs that have ended, by process id. */
const exits = new Map<number, ProgramExit>();

/** The last press of keys. */
let runningPress: { readonly end: AbortController; readonly keys: Promise<unknown> } | null = null;

let starting: Promise<Session> | null = null;
let running: RunningSession | null = null;

function session(): RunningSession {
  if (!running) throw new Error('The session has not been started');
  return running;
}

type Handlers = {
  readonly [Name in ProcedureName]: (
    args: SessionProcedures[Name]['args'],
  ) => Promise<SessionProcedures[Name]['result']>;
};

const handlers: Handlers = {
  start: async (options) => {
    starting = startSession(options, systemTimers);
    const started = await starting;
    const { timers } = started;
    const bus = AccessibilityBus.connect(started.env.DBUS_SESSION_BUS_ADDRESS ?? '', BUS_TIMEOUT_MS, timers);
    bus.catch(() => undefined);
    const [input, screen] = await Promise.all([NutInput.create(timers), ScreenCapture.create(started.x)]);
    const accessibility = bus.then((connected) => ({
      bus: connected,
      sheets: new SheetCells(connected, () => screen.version),
    }));
    accessibility.catch(() => undefined);
    running = {
      ...started,
      input,
      screen,
      bus,
      accessibility,
      text: new ScreenOcr({ capture: () => captureRedacted(session()) }),
      commands: options.commands,
      egress: options.egress,
      redactor: new SecretRedactor(),
      pendingCopy: new PendingCopy(started.clipboard, timers),
      passwords: new PasswordTracker({ ...started, screen, accessibility }),
      pages: new BrowserPages({ windows: started.windows, timers }),
      screenshots: new StoredScreenshots(),
    };
    started.lossSignal.addEventListener('abort', () => {
      send({ type: 'lost', message: (started.lossSignal.reason as Error).message });
    });
    return null;
  },
  windows: async () => {
    const { windows, redactor } = session();
    return (await windows.list()).map((window) => redactor.window(window));
  },
  activeWindow: async () => {
    const { windows, redactor } = session();
    return redactor.window(await windows.active());
  },
  shownPage: async ({ windowId, timeoutMs }) => {
    const { windows, pages, redactor } = session();
    const window =
      windowId === null ? await windows.active() : (await windows.list()).find(({ id }) => id === windowId);
    const page = window ? await pages.shownPage(window, timeoutMs) : null;
    return page === null || page === 'unresponsive' ? page : { ...page, url: redactor.text(page.url) };
  },
  windowAt: ({ x, y }) => session().windows.windowAt(x, y),
  applications: () => installedApps(),
  isSameProgram: ([first, second]) => isSameProgram(first, second),
  activate: ({ id }) => session().windows.activate(id),
  moveResizeWindow: async ({ id, bounds }) => {
    const { windows } = session();
    const increment = await windows.sizeIncrement(id);
    const window = await windows.moveResize(id, bounds);
    return window && { window, increment };
  },
  setWindowState: ({ id, state }) => session().windows.setState(id, state),
  closeWindow: ({ id }) => session().windows.close(id),
  openApp: async ({ app, files }) => {
    const { processes, home, env, egress, pages } = session();
    const found = await findAppCommand(app, files, session().commands);
    const { command, args } = withBrowserOptions(found, egress, process.getuid?.() === 0);
    const hasPipe = isChromium(found);
    const extra = hasPipe ? (['pipe', 'pipe'] as const) : [];
    const child = await processes.start(command, args, { env: { ...env }, cwd: home, extra });
    if (hasPipe) pages.add(child);
    const { pid = 0 } = child;
    exits.delete(pid);
    child.once('exit', (code) => exits.set(pid, { code }));
    if (child.exitCode !== null || child.signalCode !== null) exits.set(pid, { code: child.exitCode });
    return { pid };
  },
  exitOf: ({ pid }) => Promise.resolve(exits.get(pid) ?? null),
  move: withoutResult(({ input }, point) => input.move(point)),
  click: async ({ point, button, count, modifiers, window, source, field }) => {
    const { input, windows, screenshots, pages } = session();
    await input.waitForDoubleClickEnd(point, button);
    if (source) {
      const screen = await captureRedacted(session());
      if (!screenshots.isUnchanged(source.screenshotId, source.region, screen)) return 'changed';
    }
    if (window && !(await windows.isOnTop(window, point))) return 'obstructed';
    await input.click(point, button, count, modifiers);
    if (field) await pages.waitForFocus(field, FOCUS_TIMEOUT_MS);
    return 'pressed';
  },
  button: withoutResult(({ input }, { button, isDown }) =>
    isDown ? input.pressButton(button) : input.releaseButton(button),
  ),
  drag: withoutResult(({ input }, { from: start, to: end }) => input.drag(start, end)),
  scroll: withoutResult(({ input }, { point, byX, byY }) => input.scroll(point, byX, byY)),
  press: async ({ chord, times, waitMs = 0, holdMs = 0 }) => {
    const { input, pendingCopy, windows } = session();
    const end = new AbortController();
    const pressKeys = async () => {
      const window = waitMs > 0 ? await windows.active() : null;
      await pendingCopy.beforeKeys(chord);
      await input.press(chord, times, holdMs, end.signal);
      return window;
    };
    // Set at once: an end may be requested before the first key.
    const keys = pressKeys();
    runningPress = { end, keys };
    const window = await keys;
    return window && hasReadKeys(session(), window, waitMs);
  },
  endPress: async () => {
    runningPress?.end.abort();
    await runningPress?.keys.catch(() => undefined);
    return null;
  },
  type: async (options) => {
    const result = await enterText({ ...session(), bus: await session().bus }, options);
    const { difference, reason, ...status } = result.readback;
    // Titles of windows may be long. The difference contains field text, which may hold a secret.
    const readback = {
      ...status,
      ...(reason !== undefined && { reason: reason.slice(0, MAX_REASON_CHARACTERS) }),
      ...(difference && session().redactor.isEmpty && { difference }),
    };
    return { ...result, readback };
  },
  registerSecret: withoutResult(async (running, secret) => {
    const { redactor, pages, accessibility } = running;
    const fields = await referencesOf(running, await accessibility, pages, secret.field);
    for (const field of fields) redactor.add({ ...secret, field });
  }),
  readClipboard: async () => {
    const { clipboard, redactor, pendingCopy } = session();
    await pendingCopy.settle();
    const text = await clipboard.read();
    return text === null ? null : redactor.text(text);
  },
  writeClipboard: withoutResult(({ clipboard }, { text }) => clipboard.write(text)),
  capture: (options) => capture(session(), options),
  waitForChange: async ({ version, timeoutMs }) => {
    const { screen } = session();
    if (screen.version === version) {
      screen.takeDamage();
      await screen.changed(timeoutMs);
    }
    return { version: screen.version };
  },
  observe: async ({ deadlineMs, windowId, need, menu = null }) => {
    const { redactor, passwords, accessibility, pages, timers } = session();
    const startedAt = timers.monotonic();
    const tree = await observeWindow(session(), await accessibility, deadlineMs, windowId, { pages, need, menu });
    // Fields of pages are tracked through the accessibility bus. A partial read does not show that a field is gone.
    if (need.roles === null && menu === null && !tree.nodes.some(({ page }) => page)) passwords.record(tree, startedAt);
    return redactor.tree(passwords.withMaskedPasswords(tree));
  },
  readWindowText: async ({ deadlineMs, windowId }) => {
    const { redactor, passwords, pages } = session();
    const read = await readTextOfWindow(session(), await session().bus, deadlineMs, windowId, pages);
    const masked = read?.parts.map((part) =>
      passwords.isPasswordField(part) ? MASK : redactor.fieldText(part, part.text),
    );
    return read && masked ? joinTexts(masked, read.incomplete) : null;
  },
  readScreenText: ({ region, timeoutMs }) => session().text.read(region, timeoutMs),
  windowScreenshot: async ({ region, keptId }) => {
    const screen = await captureRedacted(session());
    const screenshot = await cropScreenshot(screen, region);
    return screenshot && { ...screenshot, screenshotId: session().screenshots.add(screen, keptId) };
  },
  findImage: ({ data, threshold }) => findImageOnScreen(session().screen, data, threshold),
  unchangedMs: () => Promise.resolve(session().screen.unchangedMs),
  restEnd: ({ stableMs, timeoutMs }) => session().screen.restEnd(stableMs, timeoutMs),
  readText: async ({ bus, path, timeoutMs }) => {
    const { redactor, passwords, pages } = session();
    if (pidOfPageBus(bus) !== null) {
      const field = await pages.fieldText({ bus, path }, timeoutMs);
      const text = field ? field.text : await pages.elementText({ bus, path }, timeoutMs);
      if (text === null) return null;
      return field?.isSecret ? MASK : redactor.fieldText({ bus, path }, text);
    }
    if (passwords.isPasswordField({ bus, path })) return MASK;
    const text = await (await session().bus).wholeText({ bus, path }, timeoutMs, MAX_TEXT_CHARACTERS).catch(() => null);
    return text === null ? null : redactor.fieldText({ bus, path }, text);
  },
  doAction: async ({ bus, path, timeoutMs }) =>
    pidOfPageBus(bus) === null &&
    (await session().bus)
      .call<boolean>({ bus, path }, 'org.a11y.atspi.Action', 'DoAction', timeoutMs, 'i', [0])
      .catch(() => false),
  homeFile: ({ path }) => homeFile(session().home, path),
  filesNamed: ({ path }) => filesNamed(session().home, path),
  makeHomeFolder: withoutResult(({ home }, { path }) => makeHomeFolder(home, path)),
  isHomeFolder: ({ path }) => isHomeFolder(session().home, path),
  matchingFiles: ({ pattern, isGlob }) => matchingFiles(session().home, pattern, isGlob),
  readFile: ({ path, position }) => readChunk(session().home, path, position),
  writeFile: ({ path, position, data }) => writeChunk(session().home, path, position, data),
  stop: async () => {
    const remaining = running ? await running.stop() : [];
    return { remaining };
  },
};

/** Makes a handler without a result. */
function withoutResult<Args>(
  work: (session: RunningSession, args: Args) => Promise<void>,
): (args: Args) => Promise<null> {
  return async (args) => {
    await work(session(), args);
    return null;
  };
}

async function capture(session: RedactingSession, options: CaptureOptions): Promise<CapturedImage> {
  const { screen } = session;
  // Before the read: a change during it is reported again.
  screen.takeDamage();
  const { version } = screen;
  const { width, height, data } = await captureRedacted(session, options.isLive);
  const { maxWidth, maxHeight } = options;
  let image = sharp(data, { raw: { width, height, channels: 4 } }).removeAlpha();
  if (maxWidth || maxHeight)
    image = image.resize({
      width: maxWidth ?? undefined,
      height: maxHeight ?? undefined,
      fit: 'inside',
      withoutEnlargement: true,
    });
  image = options.format === 'png' ? image.png({ compressionLevel: 3 }) : image.jpeg({ quality: JPEG_QUALITY });
  const { data: body, info } = await image.toBuffer({ resolveWithObject: true });
  return { body, width: info.width, height: info.height, version };
}

function send(message: SessionMessage): void {
  channel.send(message);
}

async function serve({ id, procedure, args }: SessionRequest): Promise<void> {
  try {
    const handler = handlers[procedure] as (args: unknown) => Promise<unknown>;
    send({ type: 'response', id, result: await handler(args) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    send({ type: 'failure', id, message, isInvalidPath: error instanceof HomePathError });
  }
}

/** Ends everything that the worker started before it exited. A session that still starts is stopped as soon as its programs are known. */
async function end(): Promise<void> {
  const session = await starting?.catch(() => null);
  await session?.stop();
}

// nut-js and sharp share two cores with the worker and the applications.
sharp.concurrency(1);
const channel = new FrameChannel(
  new Socket({ fd: CHANNEL_FD }),
  {
    onMessage: (request) => void serve(request as SessionRequest),
    onClose: () => void end().finally(() => process.exit(0)),
  },
  { peer: 'worker' },
);
// Ctrl-C at a terminal is for the worker, which still needs the session while it drains.
process.on('SIGINT', () => undefined);
