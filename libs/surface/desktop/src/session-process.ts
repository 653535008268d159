/** The process of one desktop session. Serves the calls of the worker until its channel closes. */
import { Socket } from 'node:net';
import sharp from 'sharp';
import { systemTimers } from '@pilothouse/core/time/timers';
import { AccessibilityBus } from './accessibility/accessibility-bus.ts';
import { SheetCells } from './accessibility/sheet-cells.ts';
import { BrowserPages } from './chromium/browser-pages.ts';
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
import { startSession, type Session } from './process/start-session.ts';
import { elementProcedures } from './procedures/element-procedures.ts';
import { inputProcedures } from './procedures/input-procedures.ts';
import { screenProcedures } from './procedures/screen-procedures.ts';
import { windowProcedures } from './procedures/window-procedures.ts';
import { effectHandler, type Procedures, type RunningSession } from './procedures/running-session.ts';
import { PasswordTracker } from './redaction/password-tracker.ts';
import { captureRedacted } from './redaction/redacted-capture.ts';
import { SecretRedactor } from './redaction/secret-redactor.ts';
import { ScreenOcr } from './screen/screen-ocr.ts';
import { StoredScreenshots } from './screen/stored-screenshots.ts';
import { CHANNEL_FD, FrameChannel } from './session/frame-channel.ts';
import type { SessionMessage, SessionRequest } from './session/session-protocol.ts';
import { PendingCopy } from './typing/pending-copy.ts';
import { ScreenCapture } from './x/screen-capture.ts';

/** Milliseconds for the accessibility bus to answer. */
const BUS_TIMEOUT_MS = 20_000;

let starting: Promise<Session> | null = null;
let running: RunningSession | null = null;

function session(): RunningSession {
  if (!running) throw new Error('The session has not been started');
  return running;
}

const procedures: Procedures = {
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
  stop: async () => {
    const remaining = running ? await running.stop() : [];
    return { remaining };
  },
  ...windowProcedures(session),
  ...inputProcedures(session),
  ...screenProcedures(session),
  ...elementProcedures(session),
  homeFile: ({ path }) => homeFile(session().home, path),
  filesNamed: ({ path }) => filesNamed(session().home, path),
  makeHomeFolder: effectHandler(session)(({ home }, { path }) => makeHomeFolder(home, path)),
  isHomeFolder: ({ path }) => isHomeFolder(session().home, path),
  matchingFiles: ({ pattern, isGlob }) => matchingFiles(session().home, pattern, isGlob),
  readFile: ({ path, position }) => readChunk(session().home, path, position),
  writeFile: ({ path, position, data }) => writeChunk(session().home, path, position, data),
};

function send(message: SessionMessage): void {
  channel.send(message);
}

async function serve({ id, procedure, args }: SessionRequest): Promise<void> {
  try {
    const handler = procedures[procedure] as (args: unknown) => Promise<unknown>;
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
