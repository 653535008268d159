import type { PointerInput } from '../injected/hit-target-interceptor.ts';
import type { TrackedPage } from '../pages/tracked-page.ts';

/** Input that an element is looked for. */
export interface Aim {
  /** The interceptor is armed for it. Left out: it is not armed. */
  readonly input?: PointerInput;
  /** Where input goes: CSS pixels from the top left corner of the element, inside of its border. Left out: to its middle. */
  readonly position?: { readonly x: number; readonly y: number } | undefined;
}

/** The interceptors that wait for one input. */
export interface Armed {
  readonly id: number;
  readonly tab: TrackedPage;
  /** True if the point is in a frame that is a part of the target: the document of the target gets no event then. */
  readonly entersFrame: boolean;
}
