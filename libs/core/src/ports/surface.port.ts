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

/** A running thing that surfaces are opened on: one warm Chromium, one X server, one device. */
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
  /** How a browser shows itself to sites, with its secrets in place. */
  readonly browser?: BrowserOptions;
  /** Cookies and storage that it begins with. */
  readonly profile?: StorageState;
  /** True if what pages are sent as answers may be read later. */
  readonly keepResponses?: boolean;
  /** What it may connect to; a host whose surfaces have a gate lets nothing out without. */
  readonly egress?: EgressPolicy;
  /** What else is told of it while it is open. */
  readonly watch?: SurfaceRecorders;
  /** Called with each file that came from the site, or that an action made; it stays in the folder until the surface is closed. */
  onFile?(file: SurfaceFile): void;
}

/** What a surface tells of itself besides the steps; what is left out costs nothing. */
export interface SurfaceRecorders {
  /** Called with what pages write to their console. */
  readonly console?: (line: ConsoleLine) => void;
  readonly exchanges?: NetworkSink;
  readonly film?: ScreencastSink;
  readonly dialogs?: DialogWatch;
}

/** Answers dialogs of pages that no step expected. */
export interface DialogWatch {
  /**
   * Called when a dialog opens; the page waits meanwhile.
   * @returns the answer of the person in control, null where they give none: it is dismissed. Null at once: no person is in control
   */
  opened(dialog: OpenDialog): Promise<DialogReply | null> | null;
  /** Called once a dialog is answered without a person. */
  answered(answered: AnsweredDialog): void;
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

/** Whoever wants to know what pages ask for and get. */
export interface NetworkSink {
  /** Texts of requests and answers are wanted up to so many bytes each; 0: none. */
  readonly bodies: number;
  /** Called when a request is over; what came of it is known a moment later, null when that cannot be told any more. */
  readonly over: (entry: Promise<HarEntry | null>) => void;
}

/** Whoever wants to see what is shown as it changes. */
export interface ScreencastSink {
  /** Most pixels of a frame, which is made smaller to fit; null: as large as the page is. */
  readonly maxWidth: number | null;
  readonly maxHeight: number | null;
  /** Takes a JPEG of what the current page shows; the next one comes when it is done, and no sooner than after a fifth of a second. */
  readonly frame: (jpeg: Buffer) => Promise<void>;
}

/** A file that a surface put down. */
export interface SurfaceFile {
  readonly kind: 'download' | 'data';
  /** As the site calls it, without a path. */
  readonly name: string;
  readonly contentType: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** One surface, opened for one attempt at a run. Not for two actions at once. */
export interface Surface {
  /**
   * Whether something that it asked for since the last input is still on its way, a document or what a script wants to know: what is shown may be
   * another in a moment. As far as is known without asking the page.
   */
  readonly isWaiting: boolean;
  /** Cheap facts that tell where we are. */
  anchors(context: Context): Promise<Anchors>;
  /**
   * Carries out one action, waiting for its target within the deadline.
   * @throws PilothouseError of the step group; SURFACE_LOST when the surface went away; the reason of the signal when aborted.
   */
  act(action: Action, context: ActionServices): Promise<ActionOutcome>;
  /**
   * Does what a person at the wheel does, at once: it waits for no target, and the page takes it as it comes.
   * @returns what it is done to, of a button that goes down, of keys and of text; null: of others, or it is not known
   * @throws PilothouseError ACTION_UNSUPPORTED when nobody can drive such a surface; as `act`
   */
  drive(input: PageInput, context: Pick<ActionServices, 'guard'> & Context): Promise<InputTarget | null>;
  /**
   * Ways to find again what is meant by a number of the last look, or by a place. It sends no input.
   * @returns null when nothing is there
   * @throws PilothouseError ACTION_UNSUPPORTED when nobody can drive such a surface; TARGET_NOT_FOUND
   */
  identify(pointed: Pick<Locator, 'elementIndex' | 'point'>, context: Context): Promise<InputTarget | null>;
  /**
   * What the drop-down list offers that has the focus: it opens nothing while somebody drives. It sends no input.
   * @returns null when none has
   * @throws PilothouseError ACTION_UNSUPPORTED when nobody can drive such a surface
   */
  choices(context: Context): Promise<DropdownOptions['dropdown']>;
  /**
   * What its keys or its pages copied last, unless it was told before, or a step has read it. It sends no input.
   * @returns null when nothing was
   * @throws PilothouseError ACTION_UNSUPPORTED when nobody can drive such a surface
   */
  copied(context: Context): Promise<string | null>;
  /**
   * Calls `opened` with each file chooser that a page opens from now on. At other times a chooser is not shown, and the page gets no file.
   * @returns ends that
   */
  onFileChooser(opened: (chooser: FileChooser) => void): () => void;
  /** Waits until the condition holds. @throws PilothouseError CONDITION_NOT_MET saying what was there instead. */
  expect(condition: Condition, context: Context): Promise<void>;
  /** True if the condition holds now, without waiting for anything to come. */
  holds(condition: Condition, context: Context): Promise<boolean>;
  /**
   * What is in view now, as a list of elements under numbers that stay. It sends no input.
   * @throws PilothouseError ACTION_UNSUPPORTED when the surface shows no elements
   */
  observe(options: ObserveOptions, context: Context): Promise<Observation>;
  /**
   * Waits until nothing is under way that would soon change what the last look saw: no document, request, socket, worker or animation,
   * and no timer that is due within the next moments.
   * @param ms milliseconds for which it waits at least
   * @returns false when it was not so by the deadline, and at once where it cannot be known
   */
  rests(ms: number, context: Context): Promise<boolean>;
  /** What is in view now, as an image. */
  screenshot(options: ScreenshotOptions, context: Context): Promise<Screenshot>;
  /**
   * What it takes to bring another surface to where this one is, or null when that is not possible: something was typed, pressed or
   * chosen that only this surface knows. Called between two actions; what comes back is of the moment of the call, even when the next
   * action begins before it is there.
   * @returns a text that only surfaces of this kind understand; it holds secrets of the run (cookies, storage)
   */
  save(context: Context): Promise<string | null>;
  /**
   * Brings a new surface to a saved state. Sends no input, but a page is opened: it is guarded like an action.
   * @throws PilothouseError NAVIGATION_FAILED, and as `act`
   */
  restore(state: string, context: Pick<ActionServices, 'guard'> & Context): Promise<void>;
  /**
   * Cookies and storage of all sites as they are now, for another surface to begin with. It sends no input.
   * @throws PilothouseError PROFILE_INVALID for what cannot be kept; ACTION_UNSUPPORTED when the surface has neither
   */
  profile(context: Context): Promise<StorageState>;
  /**
   * Waits until the files that its input asked for were told to `onFile`, those of downloads that are only about to begin among them.
   * @returns names of those that are not whole at the deadline
   */
  filesKept(context: Context): Promise<string[]>;
  /**
   * Shows what it shows, from now on and as it changes, whatever else is done with it.
   * @returns ends that; the surface ends it when it is closed
   */
  film(film: ScreencastSink): () => void;
  /**
   * Opens another page of the same browser, empty, with the cookies and the storage of this one: a surface of its own for work side by side. Windows
   * that open from it are its own. It ends with its `close`, at the latest with this surface.
   * @throws PilothouseError ACTION_UNSUPPORTED when the surface has one page only; SURFACE_LOST
   */
  beside(context: Context): Promise<Surface>;
  /** Aborts with SURFACE_LOST when the surface goes away by itself (page crash, browser gone). */
  readonly lost: AbortSignal;
  /** Ends the surface and all it started. Never throws. */
  close(): Promise<void>;
}

/** An element under the hand of a person. */
export interface InputTarget {
  /** Ways to find it again, the sturdiest first; none are known of what is in a frame. */
  readonly locators: readonly Locator[];
  /** What goes into it is not to be told: it is a field for passwords. */
  readonly isSecret: boolean;
  /** What the input chose in it; null: nothing else than before. Left out: it is no drop-down list, or the input is none that chooses. */
  readonly chosen?: Pick<ActionOf<'selectOption'>, 'option' | 'by'> | null;
}

export interface Anchors {
  readonly url: string;
  readonly title: string;
}

export interface ObserveOptions {
  /** How much is looked at (default: `view`, all that is in view). */
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

/** What an action gets besides its deadline. */
export interface ActionServices extends Context {
  /**
   * Called in the very tick before input is sent: throws when lease, cancellation or budget say no. Waiting for a target is
   * aborted by the signal; this closes the gap between the wait and the input.
   */
  guard(): void;
  /** Called when the page let none of the input through since `guard` was called last: nothing happened. Left out: it counts as sent. */
  notSent?(): void;
  /**
   * Whether a press is stopped when the name of its element has changed since the look: the element was judged by that name. Left out:
   * only of elements that are meant by their numbers.
   */
  readonly checksName?: boolean;
  /** A text with its secret placeholders (`{{inputs.password}}`) replaced, for the origin it is typed into. */
  reveal(text: string, origin: string): Promise<string>;
  /** A file input of the run, on disk, under the name the site is to see. */
  file(upload: string): Promise<string>;
  /**
   * Whether a dialog that somebody said is accepted may be, by what it asks; else it is declined, and the action that opened it throws
   * APPROVAL_REQUIRED. Of the `handleDialog` action; left out: whatever it asks.
   */
  mayAccept?(question: string): boolean;
  /**
   * Called once at most, with what is in view right before the action, its target marked. Where no image can be taken it is not called,
   * and the action goes on. Left out: nobody wants one, and none is taken.
   */
  before?(screenshot: Screenshot): void;
}

/** How an element was found. */
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

/** What an action came to. */
export interface ActionOutcome {
  /** How the element was found. */
  readonly located: LocatedElement | null;
  /** What the action read. */
  readonly value?: Json;
  /** Where it was read. */
  readonly evidence?: Evidence;
  /** An image the action took, for the caller to keep. */
  readonly screenshot?: Screenshot;
}
