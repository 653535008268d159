import type { Action, ActionName } from '@pilothouse/contract/actions/action-sets';
import type { Condition } from '@pilothouse/contract/actions/condition.schema';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { DropdownOptions, PageInput } from '@pilothouse/contract/control/control.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ObservationLevel } from '@pilothouse/contract/actions/extraction.schema';
import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type { StorageState } from '@pilothouse/contract/project/profile.schema';
import type { BrowserOptions } from '@pilothouse/contract/workflow/browser-options.schema';
import type { DesktopOptions } from '@pilothouse/contract/workflow/desktop-options.schema';
import type { Context } from './runtime.port.ts';
import type { ScreenParser } from './screen-parser.port.ts';
import type { EgressPolicy } from './egress.port.ts';
import type { SurfaceRecorders, ScreencastSink } from './surface-recorders.port.ts';
import type { Screenshot, ActionServices, ActionOutcome, InputTarget } from './surface-action.port.ts';

/** A running process that opens surfaces: a warm Chromium, an X server, a device. */
export interface SurfaceHost {
  readonly kind: SurfaceKind;
  readonly capabilities: Capabilities;
  /**
   * Opens an isolated surface for one attempt at a run.
   * @throws PilothouseError SURFACE_UNAVAILABLE; PROFILE_INVALID for a profile that the browser rejects
   */
  open(options: OpenOptions, context: Context): Promise<Surface>;
  /** For a host whose slots can be lost one by one; undefined: they are lost with the worker. */
  readonly slotLoss?: SlotLoss;
  /** Closes all surfaces and the host. Never throws. */
  close(): Promise<void>;
}

/** Slots in which no surface can be opened now, although no run has one there. */
export interface SlotLoss {
  count(): number;
  /** Calls the listener after each change. */
  onChange(listener: () => void): void;
}

export interface Capabilities {
  readonly actions: ReadonlySet<ActionName>;
}

export interface OpenOptions {
  /** Folder of this attempt for downloads and temporary files; removed by the caller. */
  readonly folder: string;
  /** Browser settings of a run, with its secrets filled in. */
  readonly browser?: BrowserOptions;
  /** Desktop settings of a run, with templates replaced. */
  readonly desktop?: DesktopOptions;
  /** Returns the path of an upload that `desktop` names. @throws PilothouseError UPLOAD_FAILED, NOT_FOUND */
  file?(upload: string): Promise<string>;
  /** Finds elements in windows of a desktop that publish none. */
  readonly screenParser?: ScreenParser;
  /** Initial cookies and storage. */
  readonly profile?: StorageState;
  /** True if responses of pages may be read later. */
  readonly recordResponses?: boolean;
  /** Rules of the egress proxy. A host with egress proxies allows no traffic without them. */
  readonly egress?: EgressPolicy;
  /** Optional listeners. */
  readonly recorders?: SurfaceRecorders;
  /** Called for each file from the site or an action. The file stays in the folder until the surface closes. */
  onFile?(file: SurfaceFile): void;
}

/** A file chooser that a page opened. */
export interface FileChooser {
  /** True if the page accepts more than one file. */
  readonly isMultiple: boolean;
  /**
   * Passes files on disk to the page, under their own names.
   * @throws PilothouseError as `Surface.act`
   */
  choose(paths: readonly string[], context: Pick<ActionServices, 'guard'> & Context): Promise<void>;
}

/** A file that a surface stored. */
export interface SurfaceFile {
  readonly kind: 'download' | 'data';
  /** File name from the site, without a path. */
  readonly name: string;
  readonly contentType: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** A surface of one attempt. Runs one action at a time. Capabilities that not every surface has follow below. */
export interface Surface {
  /**
   * True if a document or script request since the last input is still pending, so that the page may change in a moment. Does not query
   * the page.
   */
  readonly isWaiting: boolean;
  /** Current URL and title, without a round trip. */
  anchors(context: Context): Promise<Anchors>;
  /**
   * Performs one action. Waits for its target until the deadline.
   * @throws PilothouseError with a step error code; SURFACE_LOST if the surface is lost; the reason of the signal when aborted
   */
  act(action: Action, context: ActionServices): Promise<ActionOutcome>;
  /**
   * Waits until the condition holds.
   * @throws PilothouseError CONDITION_NOT_MET with the actual state
   */
  expect(condition: Condition, context: Context): Promise<void>;
  /** True if the condition holds now. Does not wait. */
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
  /**
   * Reads the fields again that earlier actions entered, and enters those again that the page emptied. Called at the end of the run.
   * Missing: the surface does not remember fields.
   * @throws PilothouseError as `act`, if a field does not hold its value
   */
  restoreFields?(context: ActionServices): Promise<void>;
  /** True if `restoreFields` has something to read. */
  readonly hasEnteredFields?: boolean;
  /** Takes a screenshot of the viewport. */
  screenshot(options: ScreenshotOptions, context: Context): Promise<Screenshot>;
  /** Aborts with SURFACE_LOST if the page crashes or the browser exits. */
  readonly lossSignal: AbortSignal;
  /** Closes the surface and everything that it started. Never throws. */
  close(): Promise<void>;
}

/** A surface whose state another surface can take over. */
export interface Restorable {
  /**
   * Serializes the state that another surface needs to continue here. Called between two actions; the result is the state at the time of
   * the call, even if the next action starts first.
   * @returns an opaque text that contains secrets (cookies, storage); null if the state includes input that only this surface has
   */
  save(context: Context): Promise<string | null>;
  /**
   * Restores a saved state on a new surface. Sends no input, but opens a page, so the guard applies as for an action.
   * @throws PilothouseError NAVIGATION_FAILED, and as `act`
   */
  restore(state: string, context: Pick<ActionServices, 'guard'> & Context): Promise<void>;
}

/** A surface that a person can watch and operate. */
export interface Controllable {
  /**
   * Sends an input of a person immediately, without waiting for a target.
   * @returns the element that received a mouse press, key or text; null if it does not exist or is unknown
   * @throws PilothouseError as `act`
   */
  sendControlInput(input: PageInput, context: Pick<ActionServices, 'guard'> & Context): Promise<InputTarget | null>;
  /**
   * Locators of the element with this index in the last observation, or at this point. Sends no input.
   * @returns null if there is no element
   * @throws PilothouseError TARGET_NOT_FOUND
   */
  describeElement(locator: Pick<Locator, 'elementIndex' | 'point'>, context: Context): Promise<InputTarget | null>;
  /**
   * The last copied text, unless this method or a step has read it already. Sends no input.
   * @returns null if it does not exist
   */
  readCopiedText(context: Context): Promise<string | null>;
  /**
   * Starts a screencast, independent of actions.
   * @returns a function that stops it; closing the surface stops it too
   */
  screencast(screencast: ScreencastSink): () => void;
}

/** A file that a surface does not have, although it was requested. */
export interface MissingFile {
  readonly name: string;
  /** True if its download failed; false if it is incomplete. */
  readonly hasFailed: boolean;
}

/** A surface that shows pages of a browser. */
export interface PageSurface extends Surface, Restorable {
  /**
   * Options of the focused dropdown, which opens no popup during manual control. Sends no input.
   * @returns null if no dropdown has the focus
   */
  readDropdown(context: Context): Promise<DropdownOptions['dropdown']>;
  /**
   * Calls `onOpen` with each file chooser that a page opens from now on. Without a listener no chooser opens, and the page gets no file.
   * @returns a function that removes the listener
   */
  onFileChooser(onOpen: (chooser: FileChooser) => void): () => void;
  /**
   * Cookies and storage of all sites, for another surface. Sends no input.
   * @throws PilothouseError PROFILE_INVALID if the state cannot be saved; ACTION_UNSUPPORTED if there is no such state
   */
  profile(context: Context): Promise<StorageState>;
  /**
   * Waits until `onFile` has received all requested files, including downloads that are about to start.
   * @returns files whose download failed, or that are incomplete at the deadline
   */
  waitForFiles(context: Context): Promise<MissingFile[]>;
  /**
   * Opens an empty page in the same browser, with the cookies and the storage of this surface. The page is a separate surface for
   * concurrent actions and owns the windows that it opens. It ends with its own `close`, or with this surface.
   * @throws PilothouseError ACTION_UNSUPPORTED if the surface supports only one page; SURFACE_LOST
   */
  openPage(context: Context): Promise<PageSurface>;
}

export const isRestorable = (surface: Surface): surface is Surface & Restorable => 'restore' in surface;

export const isControllable = (surface: Surface): surface is Surface & Controllable => 'sendControlInput' in surface;

export const isPageSurface = (surface: Surface): surface is PageSurface => 'openPage' in surface;

export interface Anchors {
  readonly url: string;
  readonly title: string;
  /** Id of the active window's application on a desktop. Missing if no window is active. */
  readonly app?: string;
  /** The page that a window of Chromium shows on a desktop. Its origin receives no secret: `url` is that of the window. */
  readonly page?: { readonly url: string };
  /** HTTP status of the page. Missing: below 400 or unknown. */
  readonly status?: number;
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
