import type {
  Action,
  ActionName,
  ActionOf,
  BrowserOptions,
  Condition,
  ConsoleLine,
  Evidence,
  HarEntry,
  Json,
  Locator,
  Observation,
  ObservationLevel,
  DropdownOptions,
  PageInput,
  StorageState,
  SurfaceKind,
} from '@pilothouse/contract';
import type { Context } from './runtime.port.ts';
import type { EgressPolicy } from './egress.port.ts';

/** A running process that opens surfaces: a warm Chromium, an X server, a device. */
export interface SurfaceHost {
  readonly kind: SurfaceKind;
  readonly capabilities: Capabilities;
  /**
   * Opens an isolated surface for one attempt at a run.
   * @throws PilothouseError SURFACE_UNAVAILABLE; PROFILE_INVALID for a profile that the browser does not take
   */
  open(options: OpenOptions, context: Context): Promise<Surface>;
  /** Closes every surface and the thing itself. Never throws. */
  close(): Promise<void>;
}

export interface Capabilities {
  readonly actions: ReadonlySet<ActionName>;
}

export interface OpenOptions {
  /** Folder of this attempt for downloads and other scratch; removed by the caller. */
  readonly folder: string;
  /** Browser settings of a run, with its secrets filled in. */
  readonly browser?: BrowserOptions;
  /** Cookies and storage that it begins with. */
  readonly profile?: StorageState;
  /** Whether responses of pages may be read later. */
  readonly recordResponses?: boolean;
  /** Egress gate. A host whose surfaces have a gate allows no traffic without it. */
  readonly egress?: EgressPolicy;
  /** Optional listeners. */
  readonly recorders?: SurfaceRecorders;
  /** Called for each file from the site or an action. The file stays in the folder until the surface closes. */
  onFile?(file: SurfaceFile): void;
}

/** Listeners for debug artifacts. Missing listeners cost nothing. */
export interface SurfaceRecorders {
  /** Called for console messages of pages. */
  readonly console?: (line: ConsoleLine) => void;
  readonly exchanges?: NetworkSink;
  readonly screencast?: ScreencastSink;
  readonly dialogs?: DialogListener;
}

/** Answers dialogs of pages that no step expected. */
export interface DialogListener {
  /**
   * Called when a dialog opens; the page waits meanwhile.
   * @returns the answer of the person in control, null where they give none: it is dismissed. Null at once: no person is in control
   */
  onOpen(dialog: OpenDialog): Promise<DialogReply | null> | null;
  /** Called once a dialog is answered without a person. */
  onAnswered(dialog: AnsweredDialog): void;
}

/** A dialog that waits for its answer. */
export interface OpenDialog {
  readonly kind: 'alert' | 'confirm' | 'prompt' | 'beforeunload';
  readonly question: string;
  /** The text that a prompt proposes; null: it is none. */
  readonly text: string | null;
}

/** The answer to a dialog. */
export interface DialogReply {
  readonly accept: boolean;
  /** For a prompt; null: the text that it proposes. */
  readonly text: string | null;
}

/** A dialog of a page, and its answer. */
export interface AnsweredDialog {
  readonly kind: OpenDialog['kind'];
  readonly question: string;
  readonly accepted: boolean;
}

/** A file chooser that a page opened. */
export interface FileChooser {
  /** True if the page takes more than one file. */
  readonly isMultiple: boolean;
  /**
   * Gives files on disk to the page, under their own names.
   * @throws PilothouseError as `Surface.act`
   */
  choose(paths: readonly string[], context: Pick<ActionServices, 'guard'> & Context): Promise<void>;
}

/** Receives network requests of pages. */
export interface NetworkSink {
  /** Texts of requests and answers are wanted up to so many bytes each; 0: none. */
  readonly maxBodyBytes: number;
  /** Called when a request ended. Its details follow a moment later; null if they cannot be read. */
  readonly onExchange: (entry: Promise<HarEntry | null>) => void;
}

/** Receives screencast frames. */
export interface ScreencastSink {
  /** Most pixels of a frame, which is made smaller to fit; null: as large as the page is. */
  readonly maxWidth: number | null;
  readonly maxHeight: number | null;
  /** Receives a JPEG of the current page. The next frame comes after this call ends, and at most five times a second. */
  readonly onFrame: (jpeg: Buffer) => Promise<void>;
}

/** A file that a surface stored. */
export interface SurfaceFile {
  readonly kind: 'download' | 'data';
  /** As the site calls it, without a path. */
  readonly name: string;
  readonly contentType: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** A surface of one attempt. Runs one action at a time. */
export interface Surface {
  /**
   * Whether a document or script request since the last input is still pending, so that the page may change in a moment. Does not query
   * the page.
   */
  readonly isWaiting: boolean;
  /** Current URL and title, without a round trip. */
  anchors(context: Context): Promise<Anchors>;
  /**
   * Carries out one action, waiting for its target within the deadline.
   * @throws PilothouseError of the step group; SURFACE_LOST when the surface went away; the reason of the signal when aborted.
   */
  act(action: Action, context: ActionServices): Promise<ActionOutcome>;
  /**
   * Sends an input of a person immediately, without waiting for a target.
   * @returns the element that received a mouse press, key or text; null if there is none or it is unknown
   * @throws PilothouseError ACTION_UNSUPPORTED if the surface has no manual control; as `act`
   */
  sendControlInput(input: PageInput, context: Pick<ActionServices, 'guard'> & Context): Promise<InputTarget | null>;
  /**
   * Locators of the element with this index in the last observation, or at this point. Sends no input.
   * @returns null if there is no element
   * @throws PilothouseError ACTION_UNSUPPORTED if the surface has no manual control; TARGET_NOT_FOUND
   */
  describeElement(locator: Pick<Locator, 'elementIndex' | 'point'>, context: Context): Promise<InputTarget | null>;
  /**
   * Options of the focused dropdown, which opens no popup during manual control. Sends no input.
   * @returns null if no dropdown has the focus
   * @throws PilothouseError ACTION_UNSUPPORTED if the surface has no manual control
   */
  readDropdown(context: Context): Promise<DropdownOptions['dropdown']>;
  /**
   * The last copied text, unless this method or a step has read it already. Sends no input.
   * @returns null if there is none
   * @throws PilothouseError ACTION_UNSUPPORTED if the surface has no manual control
   */
  readCopiedText(context: Context): Promise<string | null>;
  /**
   * Calls `opened` with each file chooser that a page opens from now on. At other times a chooser is not shown, and the page gets no file.
   * @returns ends that
   */
  onFileChooser(onOpen: (chooser: FileChooser) => void): () => void;
  /**
   * Waits until the condition holds.
   * @throws PilothouseError CONDITION_NOT_MET with the actual state
   */
  expect(condition: Condition, context: Context): Promise<void>;
  /** True if the condition holds now, without waiting for anything to come. */
  isMet(condition: Condition, context: Context): Promise<boolean>;
  /**
   * Observes the elements in view, with stable indexes. Sends no input.
   * @throws PilothouseError ACTION_UNSUPPORTED if the surface has no elements
   */
  observe(options: ObserveOptions, context: Context): Promise<Observation>;
  /**
   * Waits until the page is idle: no pending document, request, socket, worker or animation, and no timer due soon.
   * @param ms minimum wait in milliseconds
   * @returns false if it was not idle by the deadline, or if that cannot be determined
   */
  waitUntilIdle(ms: number, context: Context): Promise<boolean>;
  /** Takes a screenshot of the viewport. */
  screenshot(options: ScreenshotOptions, context: Context): Promise<Screenshot>;
  /**
   * Serializes the state that another surface needs to continue here. Called between two actions; the result is the state at the time of
   * the call, even if the next action starts first.
   * @returns an opaque text that contains secrets (cookies, storage); null if the state includes input that only this surface has
   */
  save(context: Context): Promise<string | null>;
  /**
   * Brings a new surface to a saved state. Sends no input, but a page is opened: it is guarded like an action.
   * @throws PilothouseError NAVIGATION_FAILED, and as `act`
   */
  restore(state: string, context: Pick<ActionServices, 'guard'> & Context): Promise<void>;
  /**
   * Cookies and storage of all sites, for another surface. Sends no input.
   * @throws PilothouseError PROFILE_INVALID if the state cannot be saved; ACTION_UNSUPPORTED if there is no such state
   */
  profile(context: Context): Promise<StorageState>;
  /**
   * Waits until `onFile` has received all requested files, including downloads that are about to start.
   * @returns names of files that are incomplete at the deadline
   */
  waitForFiles(context: Context): Promise<string[]>;
  /**
   * Starts a screencast, independent of actions.
   * @returns a function that stops it; closing the surface stops it too
   */
  screencast(screencast: ScreencastSink): () => void;
  /**
   * Opens another page of the same browser, empty, with the cookies and the storage of this one: a surface of its own for work side by side. Windows
   * that open from it are its own. It ends with its `close`, at the latest with this surface.
   * @throws PilothouseError ACTION_UNSUPPORTED when the surface has one page only; SURFACE_LOST
   */
  openPage(context: Context): Promise<Surface>;
  /** Aborts with SURFACE_LOST when the surface goes away by itself (page crash, browser gone). */
  readonly lost: AbortSignal;
  /** Ends the surface and all it started. Never throws. */
  close(): Promise<void>;
}

/** The element that received an input of a person. */
export interface InputTarget {
  /** Locators of the element, most stable first; empty for elements in frames. */
  readonly locators: readonly Locator[];
  /** Whether it is a password field, whose content is secret. */
  readonly isSecret: boolean;
  /** The option that the input selected; null: unchanged. Missing: no dropdown, or the input selects nothing. */
  readonly chosen?: Pick<ActionOf<'selectOption'>, 'option' | 'by'> | null;
}

export interface Anchors {
  readonly url: string;
  readonly title: string;
}

export interface ObserveOptions {
  /** Observation level (default: `view`). */
  readonly level?: ObservationLevel;
  /** Waits until the page is settled, and adds to each element the locators that match it and no other element. */
  readonly locators?: boolean;
}

export interface ScreenshotOptions {
  readonly fullPage?: boolean;
}

export interface Screenshot {
  readonly body: Buffer;
  readonly contentType: 'image/jpeg' | 'image/png' | 'image/webp';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Context of an action besides its deadline. */
export interface ActionServices extends Context {
  /**
   * Called synchronously before input is sent. Throws if the lease, cancellation or budget forbids it. The signal aborts waits for
   * targets; this check closes the gap between wait and input.
   */
  guard(): void;
  /** Called when the page let none of the input through since `guard` was called last: nothing happened. Left out: it counts as sent. */
  onNotSent?(): void;
  /**
   * Whether a press is blocked when the name of its element changed since the observation on which it was approved. Default: only for
   * targets by index.
   */
  readonly checksName?: boolean;
  /** A text with its secret placeholders (`{{inputs.password}}`) replaced, for the origin it is typed into. */
  reveal(text: string, origin: string): Promise<string>;
  /** A file input of the run, on disk, under the name the site is to see. */
  file(upload: string): Promise<string>;
  /**
   * Decides whether an accepted dialog may be accepted, by its text. If not, it is declined and the action that opened it throws
   * APPROVAL_REQUIRED. For `handleDialog`; default: always.
   */
  mayAccept?(question: string): boolean;
  /**
   * Called at most once with a screenshot before the action, its target marked. Not called if no screenshot can be taken. Missing: no
   * screenshot is taken.
   */
  before?(screenshot: Screenshot): void;
}

/** How an element was located. */
export interface LocatedElement {
  /** The locator of the chain that found it, in words. */
  readonly locator: string;
  /** Number of locators that were tried. */
  readonly triedCount: number;
  /** Other locators that would have found it alone, the sturdiest first; a surface that looks for none leaves them out. */
  readonly alternatives?: Locator[];
  /** Of a drag: locators that find alone the element on which it ended. */
  readonly ends?: Locator[];
}

/** Result of an action. */
export interface ActionOutcome {
  /** How the element was located. */
  readonly located: LocatedElement | null;
  /** Value that the action read. */
  readonly value?: Json;
  /** Sources of the value. */
  readonly evidence?: Evidence;
  /** Screenshot of the action, for the caller to store. */
  readonly screenshot?: Screenshot;
}
