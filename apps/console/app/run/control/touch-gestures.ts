import { systemTimers, type Timer, type Timers } from '@pilothouse/core/time/timers';

/** Milliseconds until a touch becomes a right click. */
const LONG_PRESS_MS = 500;

/** Pixels that a finger may move before it pans. */
const PAN_THRESHOLD_PX = 10;

/** Fields of pointer events that gestures need. */
export type TouchPoint = Pick<PointerEvent, 'pointerId' | 'clientX' | 'clientY'>;

type Point = Pick<TouchPoint, 'clientX' | 'clientY'>;

/** A recognized gesture. */
export type Gesture =
  | { readonly kind: 'tap' | 'long'; readonly point: Point }
  /** Scroll distance in pixels, opposite to the movement of the finger. */
  | { readonly kind: 'pan'; readonly point: Point; readonly dx: number; readonly dy: number };

/** Recognizes tap, long press and pan of one finger. With a second finger, gestures are ignored until all fingers are lifted. */
export class TouchGestures {
  readonly #emit: (gesture: Gesture) => void;
  readonly #pressed = new Set<number>();
  #last: Point | null = null;
  #isPanning = false;
  #longPressTimer: Timer | undefined;
  readonly #timers: Timers;

  constructor(applyEvents: (gesture: Gesture) => void, timers: Timers = systemTimers) {
    this.#emit = applyEvents;
    this.#timers = timers;
  }

  down({ pointerId, clientX, clientY }: TouchPoint): void {
    this.#pressed.add(pointerId);
    this.#reset();
    if (this.#pressed.size > 1) return;
    const point = { clientX, clientY };
    this.#last = point;
    this.#isPanning = false;
    this.#longPressTimer = this.#timers.setTimeout(() => {
      this.#reset();
      this.#emit({ kind: 'long', point });
    }, LONG_PRESS_MS);
  }

  move({ clientX, clientY }: TouchPoint): void {
    const last = this.#last;
    if (!last) return;
    const [dx, dy] = [last.clientX - clientX, last.clientY - clientY];
    if (!this.#isPanning && Math.hypot(dx, dy) < PAN_THRESHOLD_PX) return;
    this.#timers.clearTimeout(this.#longPressTimer);
    this.#isPanning = true;
    this.#last = { clientX, clientY };
    this.#emit({ kind: 'pan', point: this.#last, dx, dy });
  }

  up({ pointerId, clientX, clientY }: TouchPoint): void {
    this.#pressed.delete(pointerId);
    const isTap = this.#last !== null && !this.#isPanning;
    this.#reset();
    if (isTap) this.#emit({ kind: 'tap', point: { clientX, clientY } });
  }

  cancel({ pointerId }: Pick<TouchPoint, 'pointerId'>): void {
    this.#pressed.delete(pointerId);
    this.#reset();
  }

  #reset(): void {
    this.#timers.clearTimeout(this.#longPressTimer);
    this.#last = null;
  }
}
