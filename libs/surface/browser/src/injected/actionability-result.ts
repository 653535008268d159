import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { ArmCommand } from './hit-result.ts';

/**
 * Required state of an element: attached, enabled even if it is hidden, visible, scrolled into view, uncovered for a
 * drop, ready for the pointer even if it is disabled, or ready for input or text.
 */
export type ActionabilityState = 'attached' | 'enabled' | 'visible' | 'point' | 'drop' | 'hover' | 'input' | 'editable';

/** Properties of an element that input depends on. */
export interface ElementKind {
  readonly tag: string;
  /** Type of an `<input>` in lower case. */
  readonly type: string;
  readonly editable: 'field' | 'lines' | 'rich' | null;
  readonly multiple: boolean;
  /** True if a click starts a download without a request. */
  readonly saves: boolean;
}

/** Options of an actionability check. */
export interface ActionabilityOptions {
  readonly state: ActionabilityState;
  /** Offset in CSS pixels from the top left corner inside the border. Default: the center of the visible part. */
  readonly position?: { readonly x: number; readonly y: number } | undefined;
  /** Arms the interceptor once the element is ready for input. */
  readonly arm?: ArmCommand | undefined;
}

/** State of the elements that a locator matches. */
export interface ActionabilityResult {
  readonly count: number;
  /** Descriptions of up to five matches, only if there is more than one. */
  readonly matches: string[];
  /** Reason why the single match cannot be used, possibly only for now. */
  readonly problem: string | null;
  /** Click point in pixels of its frame. */
  readonly point: { readonly x: number; readonly y: number } | null;
  readonly kind: ElementKind | null;
  /** False if no interceptor answered. */
  readonly isArmed: boolean;
  /** True if input at the point enters a frame that is part of the element. */
  readonly entersFrame: boolean;
  /** Alternative locators of the element. */
  readonly alternatives: Locator[];
}
