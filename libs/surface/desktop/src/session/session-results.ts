import type { TextReadback } from './text-readback.ts';
import type { ElementState, FormDestinations } from '@pilothouse/contract/observation/observation.schema';
import { basename } from 'node:path';
import type { AccessibleNode, PageFacts } from '../accessibility/accessible-node.ts';
import { MAX_JOINED_CHARACTERS } from '../accessibility/window-text.ts';
import type { HomeFile, MatchedFile } from '../files/home-files.ts';
import type { InstalledApp } from '../process/desktop-entry.ts';
import type { ScreenLine } from '../screen/screen-text.ts';
import type { Rectangle } from '../x/rectangle.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import type {
  CapturedImage,
  ProcedureName,
  SessionMessage,
  SessionProcedures,
  ShownPage,
  WindowTree,
} from './session-protocol.ts';
import {
  boolean,
  bytes,
  count,
  list,
  nothing,
  nullable,
  number,
  object,
  oneOf,
  ShapeError,
  text,
  type Check,
} from './shape-checks.ts';

const MAX_NAME = 4_096;
const MAX_TEXT = 1_000_000;

const MAX_WINDOWS = 2_000;
const MAX_NODES = 50_000;

const name = text(MAX_NAME);
const message = text(20_000);
const point = object<{ x: number; y: number }>({ x: number, y: number });
const rectangle = object<Rectangle>({ x: number, y: number, width: number, height: number });

/** The worker adds `openedAs`. */
const windowFacts: Check<WindowFacts> = object<Omit<WindowFacts, 'openedAs'>>({
  id: number,
  title: text(MAX_TEXT),
  appId: name,
  instance: name,
  pid: nullable(number),
  isActive: boolean,
  isMinimized: boolean,
  isMaximized: boolean,
  isFullscreen: boolean,
  isDialog: boolean,
  bounds: rectangle,
});

const triState = oneOf(true, false, 'mixed');

const elementState = object<ElementState>(
  {
    checked: triState,
    disabled: oneOf(true),
    expanded: boolean,
    selected: boolean,
    focused: oneOf(true),
    pressed: triState,
    readonly: oneOf(true),
  },
  ['checked', 'disabled', 'expanded', 'selected', 'focused', 'pressed', 'readonly'],
);

const formDestinations = object<FormDestinations>({ urls: list(text(MAX_TEXT), 100), secret: oneOf(true) }, ['secret']);

const pageFacts = object<PageFacts>(
  {
    point,
    interactive: boolean,
    role: name,
    length: number,
    fallbackName: text(MAX_TEXT),
    context: text(MAX_TEXT),
    description: text(MAX_TEXT),
    state: elementState,
    tags: list(oneOf('search', 'option', 'closer', 'required', 'invalid'), 10),
    linkUrl: text(MAX_TEXT),
    formDestinations,
    submitButton: text(MAX_TEXT),
    frame: text(MAX_TEXT),
  },
  ['length', 'fallbackName', 'context', 'description', 'linkUrl', 'formDestinations', 'submitButton', 'frame'],
);

const accessibleNode = object<AccessibleNode>(
  {
    bus: name,
    path: name,
    role: number,
    name: text(MAX_TEXT),
    states: list(number, 4),
    extents: rectangle,
    value: text(MAX_TEXT),
    label: text(MAX_TEXT),
    description: text(MAX_TEXT),
    key: name,
    isUnreadCell: oneOf(true),
    screenshotId: count,
    page: pageFacts,
  },
  ['value', 'label', 'description', 'key', 'isUnreadCell', 'screenshotId', 'page'],
);

const shownPage = object<ShownPage>({
  url: text(MAX_TEXT),
  readyState: oneOf('loading', 'interactive', 'complete'),
});

const incomplete = nullable(oneOf('unresponsive', 'timeout', 'truncated', 'parser'));

const windowTree = object<WindowTree>(
  {
    window: nullable(windowFacts),
    nodes: list(accessibleNode, MAX_NODES),
    incomplete,
    isAccessible: boolean,
    page: shownPage,
  },
  ['page'],
);

const screenLine = object<ScreenLine>({
  words: list(object({ text: text(MAX_NAME), bounds: rectangle, isCertain: boolean }), 1_000),
});

const readback = object<TextReadback>(
  {
    status: oneOf('confirmed', 'unverifiable', 'different'),
    reason: text(500),
    difference: object({ position: count, expected: text(40), actual: text(40) }),
  },
  ['reason', 'difference'],
);

const homeFile = object<HomeFile>({
  path: name,
  exists: boolean,
  modifiedAtMs: nullable(number),
  size: nullable(number),
});

const UNSAFE_PARTS: ReadonlySet<string> = new Set(['', '.', '..']);

/** The name becomes that of a file on the worker. */
const filePath: Check<string> = (value) => {
  const path = name(value);
  const file = basename(path);
  if (
    path.startsWith('/') ||
    path.split('/').some((part) => UNSAFE_PARTS.has(part)) ||
    path.includes('\0') ||
    Buffer.byteLength(file) > 255
  )
    throw new ShapeError('expected the path of a file');
  return path;
};

const capturedImage = object<CapturedImage>({ body: bytes, width: count, height: count, version: count });

type Result<Name extends ProcedureName> = SessionProcedures[Name]['result'];

const resultChecks: { readonly [Name in ProcedureName]: Check<Result<Name>> } = {
  start: nothing,
  windows: list(windowFacts, MAX_WINDOWS),
  activeWindow: nullable(windowFacts),
  shownPage: (value) => (value === 'unresponsive' ? value : nullable(shownPage)(value)),
  windowAt: number,
  applications: list(object<InstalledApp>({ id: name, name }), 10_000),
  isSameProgram: boolean,
  activate: boolean,
  moveResizeWindow: nullable(object({ window: windowFacts, increment: object({ width: number, height: number }) })),
  setWindowState: boolean,
  closeWindow: boolean,
  openApp: object({ pid: count }),
  exitOf: nullable(object({ code: nullable(number) })),
  move: nothing,
  click: oneOf('pressed', 'obstructed', 'changed'),
  button: nothing,
  drag: nothing,
  scroll: nothing,
  press: nullable(boolean),
  endPress: nothing,
  type: object({ method: oneOf('keys', 'paste', 'accessibility'), wasConsumed: boolean, readback }),
  registerSecret: nothing,
  readClipboard: nullable(text(8 * MAX_TEXT)),
  writeClipboard: nothing,
  capture: capturedImage,
  waitForChange: object({ version: count }),
  observe: windowTree,
  readWindowText: nullable(object({ text: text(MAX_JOINED_CHARACTERS), incomplete })),
  readScreenText: list(screenLine, 5_000),
  windowScreenshot: nullable(object({ jpeg: bytes, hash: name, bounds: rectangle, screenshotId: count })),
  findImage: list(rectangle, 10_000),
  unchangedMs: number,
  restEnd: number,
  readText: nullable(text(MAX_TEXT)),
  doAction: boolean,
  homeFile,
  filesNamed: list(homeFile, 20_000),
  makeHomeFolder: nothing,
  isHomeFolder: boolean,
  matchingFiles: list(object<MatchedFile>({ path: filePath, size: count, version: name }), 50),
  readFile: object({ data: bytes, version: name }),
  writeFile: name,
  stop: object({ remaining: list(count, 100_000) }),
};

/** @throws ShapeError with the property that has another shape */
export const checkResult = <Name extends ProcedureName>(procedure: Name, result: unknown): Result<Name> =>
  resultChecks[procedure](result);

const response = object<{ id: number }>({ id: count });
const failure = object({ id: count, message, isInvalidPath: boolean });
const loss = object({ message });

/** Checks a message; the result of a response is checked when its procedure is known. @throws ShapeError */
export function checkMessage(value: unknown): SessionMessage {
  const { type, result } = value as { type?: unknown; result?: unknown };
  if (type === 'response') return { type, ...response(value), result };
  if (type === 'failure') return { type, ...failure(value) };
  if (type === 'lost') return { type, ...loss(value) };
  throw new ShapeError('expected a response, a failure or a loss');
}
