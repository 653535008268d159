import type { ActionOf } from '@pilothouse/contract/actions/action-sets';
import type { Evidence } from '@pilothouse/contract/actions/extraction.schema';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { Position } from '@pilothouse/contract/actions/shared-actions.schema';
import type { TriedLocator } from '@pilothouse/contract/events/run.events';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { ActionEffect } from '@pilothouse/contract/run/outcome';
import type { Context } from './runtime.port.ts';

/** The element that received an input of a person. */
export interface InputTarget {
  /** Locators of the element, most stable first; empty for elements in frames, and if the element is unknown. */
  readonly locators: readonly Locator[];
  /** True for a password field, and for a field that names a secret. Its content is secret. */
  readonly isSecret: boolean;
  /** The option that the input selected; null: unchanged. Missing: not a dropdown, or the input cannot select an option. */
  readonly chosen?: Pick<ActionOf<'selectOption'>, 'option' | 'by'> | null;
  /** Action of a typed text: `fill` replaces the text of the field, `type` goes to the focus. Missing: `fill` appends to the text. */
  readonly textAction?: 'fill' | 'type';
  /** Position of a press in the element. Missing: its center has the same effect. */
  readonly position?: Position;
  /** Window that received the input; null: none. Missing: the surface has no windows, and points may replace locators. */
  readonly window?: InputWindow | null;
}

/** A window of a desktop. */
export interface InputWindow {
  /** Number as long as the window exists. */
  readonly id: number;
  /** Id of its application; empty: unknown. */
  readonly app: string;
  /** Title, if the application has other windows; otherwise null. */
  readonly title: string | null;
  /** False if the input was a press on a window in the background. */
  readonly isActive: boolean;
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
   * targets; this check covers the time between the wait and the input.
   */
  guard(): void;
  /** Called if the page received no input since the last call of `guard`. Missing: the input counts as sent. */
  onNotSent?(): void;
  /** Called with a warning about the page that does not fail the action. Without secrets. */
  onWarning?(message: string): void;
  /**
   * True if a press is blocked when the name of its element changed since the observation on which it was approved. Default: only for
   * targets by index.
   */
  readonly checksName?: boolean;
  /** A text with its secret placeholders (`{{inputs.password}}`) replaced, for the origin it is typed into. */
  reveal(text: string, origin: string): Promise<string>;
  /** Path of one of the run's file inputs on disk. The file has the name that the site receives. */
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
  onPreActionScreenshot?(screenshot: Screenshot): void;
}

/** Method by which an element was located. */
export interface LocatedElement {
  /** Description of the locator that found the element. */
  readonly locator: string;
  /** Number of locators that were tried. */
  readonly triedCount: number;
  /** Locators that were tried, in the order of the chain, at most `MAX_TRIED_LOCATORS`. Missing: the surface does not record them. */
  readonly tried?: TriedLocator[];
  /** Other locators that match only this element, most stable first. Missing: the surface does not search for them. */
  readonly alternatives?: Locator[];
  /** Of a drag: locators that match only the drop target. */
  readonly ends?: Locator[];
}

/** Result of an action. */
export interface ActionOutcome {
  /** Method by which the element was located. */
  readonly located: LocatedElement | null;
  /** Value that the action read. */
  readonly value?: Json;
  /** Sources of the value. */
  readonly evidence?: Evidence;
  /** Effect of the action. Missing: the default of the action (`effectOf`). */
  readonly effect?: ActionEffect['effect'];
  /** Reason why the effect could not be seen, or why there was none; at most `MAX_EFFECT_REASON` characters. Without secrets. */
  readonly effectReason?: string;
  /** Screenshot of the action, for the caller to store. */
  readonly screenshot?: Screenshot;
  /** URL of the page right before the first input. Missing: no input, or the surface does not record it. */
  readonly inputUrl?: string;
}
