import type { LocatedElement } from '@pilothouse/core/ports/surface-action.port';
import type { Frame } from 'playwright-core';
import type { ElementKind } from '../injected/actionability-result.ts';
import type { Armed } from './input-purpose.ts';
import type { ElementRef } from '../pages/element-ref.ts';

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
