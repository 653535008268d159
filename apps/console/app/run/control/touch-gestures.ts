/** Milliseconds for which a finger that stays where it is means the right button of a mouse. */
const LONG_MS = 500;

/** Pixels by which a finger may move and still stays where it is. */
const STILL_PX = 10;

/** What is known of a finger, as events of browsers tell it. */
export type Finger = Pick<PointerEvent, 'pointerId' | 'clientX' | 'clientY'>;

type Spot = Pick<Finger, 'clientX' | 'clientY'>;

/** What fingers mean. */
export type Gesture =
  | { readonly kind: 'tap' | 'long'; readonly at: Spot }
  /** Pixels by which what is under the finger is to move on: against the finger. */
  | { readonly kind: 'pan'; readonly at: Spot; readonly dx: number; readonly dy: number };

/** One finger taps, presses long, or pans; with a second one it means nothing until all are up again. */
export class TouchGestures {
  readonly #tell: (gesture: Gesture) => void;
  readonly #down = new Set<number>();
  #last: Spot | null = null;
  #pans = false;
  #long: ReturnType<typeof setTimeout> | undefined;

  constructor(applyEvents: (gesture: Gesture) => void) {
    this.#tell = applyEvents;
  }

  down({ pointerId, clientX, clientY }: Finger): void {
    this.#down.add(pointerId);
    this.#forget();
    if (this.#down.size > 1) return;
    const at = { clientX, clientY };
    this.#last = at;
    this.#pans = false;
    this.#long = setTimeout(() => {
      this.#forget();
      this.#tell({ kind: 'long', at });
    }, LONG_MS);
  }

  move({ clientX, clientY }: Finger): void {
    const last = this.#last;
    if (!last) return;
    const [dx, dy] = [last.clientX - clientX, last.clientY - clientY];
    if (!this.#pans && Math.hypot(dx, dy) < STILL_PX) return;
    clearTimeout(this.#long);
    this.#pans = true;
    this.#last = { clientX, clientY };
    this.#tell({ kind: 'pan', at: this.#last, dx, dy });
  }

  up({ pointerId, clientX, clientY }: Finger): void {
    this.#down.delete(pointerId);
    const taps = this.#last !== null && !this.#pans;
    this.#forget();
    if (taps) this.#tell({ kind: 'tap', at: { clientX, clientY } });
  }

  cancel({ pointerId }: Pick<Finger, 'pointerId'>): void {
    this.#down.delete(pointerId);
    this.#forget();
  }

  #forget(): void {
    clearTimeout(this.#long);
    this.#last = null;
  }
}
