import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { LocatedElement } from '@pilothouse/core/ports/surface-action.port';
import type { Frame } from 'playwright-core';
import type { ElementKind } from '../injected/actionability-result.ts';
import type { KeyInput, PointerInput } from '../injected/hit-result.ts';
import type { ElementRef } from '../pages/element-ref.ts';
import type { TrackedPage } from '../pages/tracked-page.ts';

/** Input for which an element is located. */
export interface Aim {
  /** Arms the interceptor for this input. Without it, the interceptor is not armed. */
  readonly input?: PointerInput | KeyInput;
  /** Offset in CSS pixels from the top left corner inside the border. Default: the center. */
  readonly position?: { readonly x: number; readonly y: number } | undefined;
}

/** Interceptors armed for one input. */
export interface Armed {
  readonly id: number;
  readonly tab: TrackedPage;
  /**
   * True if the point is in a frame that is part of the target. The document of the target then receives no event.
   */
  readonly entersFrame: boolean;
}

/** The single element that a locator chain matched. */
export interface LocatedTarget {
  readonly ref: ElementRef;
  readonly frame: Frame;
  readonly kind: ElementKind;
  /** Click point in pixels of the page. Only valid if the element was required to be ready for input. */
  readonly point: { readonly x: number; readonly y: number };
  /** Part of the step outcome. */
  readonly located: LocatedElement;
  /** Armed interceptor; null if it was not armed. */
  readonly armed: Armed | null;
}

/** Result of one attempt. */
export interface LocateAttempt {
  match?: LocatedTarget;
  /** Number of elements that the locator matched. Missing: 0. */
  matchCount?: number;
  /** Locators of the matched element, as a recording writes them. */
  ownLocators?: readonly Locator[];
  /** True for an element index, a point or the focus: no other element can match. */
  isPointed?: boolean;
  ambiguous?: PilothouseError;
  problem?: { locator: string; reason: string };
  failure?: string;
  /** Reason why an indexed element is missing. It cannot come back. */
  removed?: string;
}
