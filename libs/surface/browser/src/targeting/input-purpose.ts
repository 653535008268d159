import type { PointerInput } from '../injected/hit-target-interceptor.ts';
import type { TrackedPage } from '../pages/tracked-page.ts';

/** Input for which an element is located. */
export interface Aim {
  /** Arms the interceptor for this input. Without it, the interceptor is not armed. */
  readonly input?: PointerInput;
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
