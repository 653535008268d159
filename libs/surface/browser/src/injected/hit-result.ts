// Inputs that an interceptor checks, and its answers.

/** Kind of pointer input. Presses are stopped if they would hit another element; moves are only reported. */
export type PointerInput = 'press' | 'hover';

/** Kind of keyboard input: a key whose first event is checked, or a text of which each event is checked. */
export type KeyInput = 'key' | 'text';

/** Element that the input hit. */
export type HitResult =
  | { readonly hit: 'target' }
  /** Another element. A press was stopped: no listener of the page received it. */
  | { readonly hit: 'other'; readonly description: string }
  /** The target, but its name changed after the interceptor was armed. The press was stopped. */
  | { readonly hit: 'renamed' }
  /** No trusted event reached the document of the target or any other document with an interceptor. */
  | { readonly hit: 'none' }
  /** The document was replaced before an event reached it. */
  | { readonly hit: 'gone' };

/** Effect of a press that reached its target, after its last event. */
export interface PressAnswer {
  /** Number of clicks that reached the target: `click`, or `auxclick` and `contextmenu` of another button. */
  readonly clicks: number;
  /** True if the page removed, covered, disabled or moved the target while it handled a part of the press. */
  readonly hasActed: boolean;
  /** True if the page stopped or prevented a part of the press. */
  readonly isHandled: boolean;
}

/** Answer of the interceptor of one document. */
export interface HitAnswer {
  /** True if the target is in this document. */
  readonly isOfTarget: boolean;
  readonly result: HitResult;
  /** Destination of a text. */
  readonly text: TextDestination;
}

/** Destination of a text that was typed. */
export interface TextDestination {
  /** Number of keys and inputs that a field received. */
  readonly accepted: number;
  /** Number of keys and inputs that the page cancelled. */
  readonly canceled: number;
  /** Following fields of a code that received a part of the text, in order. */
  readonly parts: readonly { readonly text: string; readonly isLimited: boolean }[];
}

/**
 * Arms the interceptor in the document of the target. Sent as the detail of an event on the target, for example `7
 * press name`.
 */
export interface ArmCommand {
  /** Type of the events that carry commands. The page does not know it. */
  readonly token: string;
  readonly id: number;
  readonly input: PointerInput | KeyInput;
  /** True to stop a press on an element whose name changed meanwhile. */
  readonly checksName: boolean;
}

/** An interceptor's report: the first event of an input, then each click on its target. */
export interface HitReport {
  readonly id: number;
  readonly result?: HitResult;
  readonly clicks?: number;
}
