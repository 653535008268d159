import type { Action, ActionName, Condition, Json, SurfaceKind } from '@pilothouse/contract';
import type { Context } from './context.ts';

/** A running thing that surfaces are opened on: one warm Chromium, one X server, one device. */
export interface SurfaceHost {
  readonly kind: SurfaceKind;
  readonly capabilities: Capabilities;
  /**
   * Opens an isolated surface for one attempt at a run.
   * @throws PilothouseError SURFACE_UNAVAILABLE
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
}

/** One surface, opened for one attempt at a run. Not for two actions at once. */
export interface Surface {
  /** Cheap facts that tell where we are. */
  anchors(context: Context): Promise<Anchors>;
  /**
   * Carries out one action, waiting for its target within the deadline.
   * @throws PilothouseError of the step group; SURFACE_LOST when the surface went away; the reason of the signal when aborted.
   */
  act(action: Action, context: ActContext): Promise<ActOutcome>;
  /** Waits until the condition holds. @throws PilothouseError CONDITION_NOT_MET saying what was there instead. */
  expect(condition: Condition, context: Context): Promise<void>;
  /** Whether the condition holds now, without waiting for anything to come. */
  holds(condition: Condition, context: Context): Promise<boolean>;
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
  restore(state: string, context: Pick<ActContext, 'guard'> & Context): Promise<void>;
  /** Aborts with SURFACE_LOST when the surface goes away by itself (page crash, browser gone). */
  readonly lost: AbortSignal;
  /** Ends the surface and all it started. Never throws. */
  close(): Promise<void>;
}

export interface Anchors {
  readonly url: string;
  readonly title: string;
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
export interface ActContext extends Context {
  /**
   * Called in the very tick before input is sent: throws when lease, cancellation or budget say no. Waiting for a target is
   * aborted by the signal; this closes the gap between the wait and the input.
   */
  guard(): void;
  /** A text with its secret placeholders (`{{inputs.password}}`) replaced, for the origin it is typed into. */
  reveal(text: string, origin: string): Promise<string>;
  /** A file input of the run, on disk, under the name the site is to see. */
  file(upload: string): Promise<string>;
}

/** What an action came to. */
export interface ActOutcome {
  /** Which locator of the chain found the element, in words, and how many were tried. */
  readonly located: { locator: string; tried: number } | null;
  /** What the action read. */
  readonly value?: Json;
  /** An image the action took, for the caller to keep. */
  readonly screenshot?: Screenshot;
}
