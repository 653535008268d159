import type { TextReadback } from './text-readback.ts';
import type { IncompleteReason } from '@pilothouse/contract/observation/observation.schema';
import type { AccessibleRef } from '../accessibility/accessibility-bus.ts';
import type { AccessibleNode } from '../accessibility/accessible-node.ts';
import type { ReadNeed } from '../accessibility/read-need.ts';
import type { HomeFile, MatchedFile } from '../files/home-files.ts';
import type { ScreenLine } from '../screen/screen-text.ts';
import type { WindowScreenshot } from '../screen/window-screenshot.ts';
import type { KeyChord } from '../input/key-names.ts';
import type { MouseButton, ScreenPoint } from '../input/nut-input.ts';
import type { InstalledApp } from '../process/desktop-entry.ts';
import type { Rectangle } from '../x/rectangle.ts';
import type { WindowFacts, WindowState } from '../x/window-manager.ts';
import type { StartOptions } from '../process/start-session.ts';

/* Calls between the worker and the process of a session. They travel in frames (`frame-channel.ts`). */

/** Screenshot of the screen. */
export interface CaptureOptions {
  readonly format: 'jpeg' | 'png';
  /** Scales down to these sizes, in pixels. */
  readonly maxWidth?: number | null;
  readonly maxHeight?: number | null;
  /** True for a frame of a live view. Known password fields are covered, and a search for new ones is awaited for 40 ms only. */
  readonly isLive?: boolean;
}

export interface CapturedImage {
  readonly body: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Number of screen changes before the capture. */
  readonly version: number;
}

/** The page that a window of a Chromium shows. */
export interface ShownPage {
  /** Address of its document, which may have an opaque origin. It never decides who receives a secret. */
  readonly url: string;
  readonly readyState: 'loading' | 'interactive' | 'complete';
}

/** A window and its accessible objects. */
export interface WindowTree {
  /** Null if no window is active, or the requested window is closed. */
  readonly window: WindowFacts | null;
  readonly nodes: readonly AccessibleNode[];
  /** Reason why objects are missing; null: all were read. */
  readonly incomplete: IncompleteReason | null;
  /** False if the application publishes no accessible objects. */
  readonly isAccessible: boolean;
  /** The page that was read over the pipe of its browser. Missing: the window shows none, or it was read through AT-SPI. */
  readonly page?: ShownPage;
}

/** A secret that is about to be typed. */
export interface SecretInput {
  readonly texts: readonly string[];
  readonly field: AccessibleRef;
  /** Id of the application. */
  readonly app: string;
  /** True for a password field, which shows dots and cannot be copied. */
  readonly isHidden: boolean;
}

/** A text to type. */
export interface TypeOptions {
  readonly text: string;
  /** `insert`: at the caret; `append`: behind the text of the field; `replace`: in place of it. */
  readonly mode: 'insert' | 'append' | 'replace';
  /** The focused field; null: any focused object. */
  readonly field: AccessibleRef | null;
  /** `cell`: of a sheet or table; `other`: an object without a text role, or an unknown one. Default: `text`. */
  readonly fieldKind?: 'text' | 'cell' | 'other';
  /** Window that must have the focus; null: any. */
  readonly windowId: number | null;
  /** True: waits while a control that takes no text has the focus, and types nothing if it keeps the focus. */
  readonly needsField?: boolean;
  /** False: the field is not read, and the result is `unverified`. */
  readonly verify: boolean;
  readonly timeoutMs: number;
}

/** Result of typing a text. */
export interface TypeResult {
  readonly method: 'keys' | 'paste' | 'accessibility';
  /** True if the window has confirmed that it read the keys, or has fetched the text. */
  readonly wasConsumed: boolean;
  readonly readback: TextReadback;
}

/** `obstructed`, `changed`: nothing was pressed. The window has moved or is covered, or its target looks different. */
export type ClickResult = 'pressed' | 'obstructed' | 'changed';

/** End of a program. */
export interface ProgramExit {
  /** Null: a signal ended it. */
  readonly code: number | null;
}

/** Procedures of the session process: argument and result of each. */
export interface SessionProcedures {
  start: { args: StartOptions; result: null };
  windows: { args: null; result: readonly WindowFacts[] };
  activeWindow: { args: null; result: WindowFacts | null };
  /** The page of a window, by default the active one. null: it shows no page of a browser with a pipe; `unresponsive`: no answer in time. */
  shownPage: {
    args: { readonly windowId: number | null; readonly timeoutMs: number };
    result: ShownPage | 'unresponsive' | null;
  };
  windowAt: { args: ScreenPoint; result: number };
  /** Applications that `openApp` can start. */
  applications: { args: null; result: readonly InstalledApp[] };
  /** True if two windows belong to one program. */
  isSameProgram: { args: readonly [WindowFacts, WindowFacts]; result: boolean };
  activate: { args: { readonly id: number }; result: boolean };
  moveResizeWindow: {
    args: { readonly id: number; readonly bounds: Rectangle };
    /** Null: the window has gone. */
    result: { readonly window: WindowFacts; readonly increment: { width: number; height: number } } | null;
  };
  setWindowState: { args: { readonly id: number; readonly state: WindowState }; result: boolean };
  closeWindow: { args: { readonly id: number }; result: boolean };
  openApp: { args: { readonly app: string; readonly files: readonly string[] }; result: { readonly pid: number } };
  /** How a program that `openApp` started has ended; null: it runs. */
  exitOf: { args: { readonly pid: number }; result: ProgramExit | null };
  move: { args: ScreenPoint; result: null };
  click: {
    args: {
      readonly point: ScreenPoint;
      readonly button: MouseButton;
      readonly count: number;
      readonly modifiers: readonly string[];
      /** Window of the target, with the bounds at which it was located; null: a point of the screen. */
      readonly window: Pick<WindowFacts, 'id' | 'bounds'> | null;
      /** Screenshot that the target was found in, and its bounds; null: not from a screenshot. */
      readonly source: { readonly screenshotId: number; readonly region: Rectangle } | null;
      /** Text field of a page. The next keys wait until it has the focus; null: they do not wait. */
      readonly field: AccessibleRef | null;
    };
    result: ClickResult;
  };
  button: { args: { readonly button: MouseButton; readonly isDown: boolean }; result: null };
  drag: { args: { readonly from: ScreenPoint; readonly to: ScreenPoint }; result: null };
  scroll: { args: { readonly point: ScreenPoint; readonly byX: number; readonly byY: number }; result: null };
  press: {
    /**
     * `waitMs`: milliseconds to wait until the active window has read the key. Default: does not wait.
     * `holdMs`: milliseconds of each press. Default: short.
     */
    args: { readonly chord: KeyChord; readonly times: number; readonly waitMs?: number; readonly holdMs?: number };
    /** False if it has not read the key in time; null if it is unknown. */
    result: boolean | null;
  };
  /** Ends a running `press`, and waits until its keys are released. */
  endPress: { args: null; result: null };
  type: { args: TypeOptions; result: TypeResult };
  /** Hides a secret in everything that leaves the session, before it is typed. */
  registerSecret: { args: SecretInput; result: null };
  readClipboard: { args: null; result: string | null };
  writeClipboard: { args: { readonly text: string }; result: null };
  capture: { args: CaptureOptions; result: CapturedImage };
  waitForChange: {
    args: { readonly version: number; readonly timeoutMs: number };
    result: { readonly version: number };
  };
  /** Reads a window, by default the active one. */
  observe: {
    args: {
      readonly deadlineMs: number;
      readonly windowId: number | null;
      readonly need: ReadNeed;
      /** Reads only the entries below this menu, if they are shown. Default: the whole window. */
      readonly menu?: AccessibleRef | null;
    };
    result: WindowTree;
  };
  /**
   * Whole text of a window, by default the active one, with what is scrolled out of view. null if its application publishes no
   * objects, or does not answer.
   */
  readWindowText: {
    args: { readonly deadlineMs: number; readonly windowId: number | null };
    result: { readonly text: string; readonly incomplete: IncompleteReason | null } | null;
  };
  /** Text in the screenshot of a screen area (OCR). */
  readScreenText: {
    args: { readonly region: Rectangle; readonly timeoutMs: number };
    result: readonly ScreenLine[];
  };
  /**
   * Screenshot of a screen area for the screen parser. null if the area is off the screen, or a side is below 16
   * px.
   */
  windowScreenshot: {
    /** `keptId`: screenshot that later clicks may still name. */
    args: { readonly region: Rectangle; readonly keptId: number | null };
    result: (WindowScreenshot & { readonly screenshotId: number }) | null;
  };
  /** Places of a template image (PNG, JPEG, WebP) on the screen, the most similar first. */
  findImage: {
    args: { readonly data: Uint8Array; readonly threshold: number };
    result: readonly Rectangle[];
  };
  /** Milliseconds since the screen changed. A blinking caret is no change. */
  unchangedMs: { args: null; result: number };
  /** Waits while the screen has been unchanged for at least `stableMs`, at most `timeoutMs`. @returns as `unchangedMs` */
  restEnd: { args: { readonly stableMs: number; readonly timeoutMs: number }; result: number };
  readText: {
    args: { readonly bus: string; readonly path: string; readonly timeoutMs: number };
    result: string | null;
  };
  /** Does the first action of an accessible object. @returns false if it offers none, or refuses */
  doAction: {
    args: { readonly bus: string; readonly path: string; readonly timeoutMs: number };
    result: boolean;
  };
  /** A path below the home folder; the folder of the path need not exist. */
  homeFile: { args: { readonly path: string }; result: HomeFile };
  /** The file of a path, and files whose name is that of the path with an extension, the newest first. */
  filesNamed: { args: { readonly path: string }; result: readonly HomeFile[] };
  /** Creates the folder of a path. */
  makeHomeFolder: { args: { readonly path: string }; result: null };
  isHomeFolder: { args: { readonly path: string }; result: boolean };
  /** Files that a pattern names; none while one of them is being written. */
  matchingFiles: {
    args: { readonly pattern: string; readonly isGlob: boolean };
    result: readonly MatchedFile[];
  };
  /** Reads a chunk of a file. Empty at its end. */
  readFile: {
    args: { readonly path: string; readonly position: number };
    result: { readonly data: Uint8Array; readonly version: string };
  };
  /** Writes a chunk of a file; position 0 replaces the file. @returns the absolute path */
  writeFile: {
    args: { readonly path: string; readonly position: number; readonly data: Uint8Array };
    result: string;
  };
  stop: { args: null; result: { readonly remaining: readonly number[] } };
}

export type ProcedureName = keyof SessionProcedures;

/** From the worker. */
export interface SessionRequest<Name extends ProcedureName = ProcedureName> {
  readonly id: number;
  readonly procedure: Name;
  readonly args: SessionProcedures[Name]['args'];
}

/** From the session process. */
export type SessionMessage =
  | { readonly type: 'response'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly message: string; readonly isInvalidPath: boolean }
  | { readonly type: 'lost'; readonly message: string };
