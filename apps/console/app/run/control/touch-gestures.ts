/** Milliseconds for which a finger that stays where it is means the right button of a mouse. */
const LONG_PRESS_MS = 500;

/** Pixels by which a finger may move and still stays where it is. */
const PAN_THRESHOLD_PX = 10;

/** What is known of a finger, as events of browsers tell it. */
export type TouchPoint = Pick<PointerEvent, 'pointerId' | 'clientX' | 'clientY'>;

type Point = Pick<TouchPoint, 'clientX' | 'clientY'>;

/** What fingers mean. */
export type Gesture =
  | { readonly kind: 'tap' | 'long'; readonly at: Point }
  /** Pixels by which what is under the finger is to move on: against the finger. */
  | { readonly kind: 'pan'; readonly at: Point; readonly dx: number; readonly dy: number };

/** One finger taps, presses long, or pans; with a second one it means nothing until all are up again. */
export class TouchGestures {
  readonly #emit: (gesture: Gesture) => void;
  readonly #pressed = new Set<number>();
  #last: Point | null = null;
  #isPanning = false;
  #longPressTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(applyEvents: (gesture: Gesture) => void) {
    this.#emit = applyEvents;
  }

  down({ pointerId, clientX, clientY }: TouchPoint): void {
    this.#pressed.add(pointerId);
    this.#reset();
    if (this.#pressed.size > 1) return;
    const at = { clientX, clientY };
    this.#last = at;
    this.#isPanning = false;
    this.#longPressTimer = setTimeout(() => {
      this.#reset();
      this.#emit({ kind: 'long', at });
    }, LONG_PRESS_MS);
  }

  move({ clientX, clientY }: TouchPoint): void {
    const last = this.#last;
    if (!last) return;
    const [dx, dy] = [last.clientX - clientX, last.clientY - clientY];
    if (!this.#isPanning && Math.hypot(dx, dy) < PAN_THRESHOLD_PX) return;
    clearTimeout(this.#longPressTimer);
    this.#isPanning = true;
    this.#last = { clientX, clientY };
    this.#emit({ kind: 'pan', at: this.#last, dx, dy });
  }

  up({ pointerId, clientX, clientY }: TouchPoint): void {
    this.#pressed.delete(pointerId);
    const isTap = this.#last !== null && !this.#isPanning;
    this.#reset();
    if (isTap) this.#emit({ kind: 'tap', at: { clientX, clientY } });
  }

  cancel({ pointerId }: Pick<TouchPoint, 'pointerId'>): void {
    this.#pressed.delete(pointerId);
    this.#reset();
  }

  #reset(): void {
    clearTimeout(this.#longPressTimer);
    this.#last = null;
  }
}
