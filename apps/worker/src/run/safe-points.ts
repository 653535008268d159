import { MAX_STATE, type Json, type Saved, type Step } from '@pilothouse/contract';
import { onlyLooks, type Clock, type Log, type Masker, type Surface } from '@pilothouse/core';
import { orAbort } from './waits.ts';

/** Milliseconds that a surface has to say what it takes to come back to where it is. */
const SAVE_MS = 2_000;

/** Milliseconds that a safe point waits for the events it rides with before it goes ahead. */
const AHEAD_MS = 150;

/** What another worker needs to go on: the surface, and what the events do not say because it holds a secret. */
export interface SavedState {
  readonly surface: string;
  readonly values: Readonly<Record<string, Json>>;
}

/** A state as it travels. */
export const writeState = ({ surface, values }: SavedState): string => JSON.stringify({ v: 1, surface, values });

/** @returns null for a state that another version of the worker wrote */
export function readState(text: string): SavedState | null {
  const state = JSON.parse(text) as SavedState & { v: number };
  return state.v === 1 ? { surface: state.surface, values: state.values } : null;
}

export interface SafePointsOptions {
  readonly masker: Masker;
  /** Values of steps by id, as they are known now. */
  readonly values: Readonly<Record<string, { value: Json }>>;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when nothing can be written any more. */
  readonly signal: AbortSignal;
  /** The next events are long in coming: the safe point goes ahead of them. */
  sendAhead(saved: Saved): void;
}

/**
 * Keeps the safe point of an attempt. The surface says its state while the next step is on its way, so that no step waits for it; only
 * around a step that must not be repeated it is waited for.
 */
export class SafePoints {
  private readonly options: SafePointsOptions;
  /** What rides with the next events. */
  private waiting: Saved | undefined;
  private saving: Promise<void> = Promise.resolve();
  /** Steps that did something, counted; a state that comes after a newer one is not wanted. */
  private turn = 0;
  private kept = { turn: -1, step: 0 };
  private step = 0;
  private lastState: string | undefined;
  private ahead: NodeJS.Timeout | undefined;
  private newest: Pick<Saved, 'step'> | null;

  /** @param from the safe point that the attempt began at */
  constructor(options: SafePointsOptions, from: Pick<Saved, 'step'> | null) {
    this.options = options;
    this.newest = from;
  }

  /** The newest safe point that is known. */
  get last(): Pick<Saved, 'step'> | null {
    return this.newest;
  }

  /** A step has happened. */
  after(surface: Pick<Surface, 'save'>, index: number, step: Step): void {
    this.step = index + 1;
    if (onlyLooks(step)) {
      if (this.kept.turn === this.turn) this.keep(this.lastState);
      return;
    }
    this.turn += 1;
    const { turn } = this;
    const { clock, log, signal } = this.options;
    const late = AbortSignal.any([signal, AbortSignal.timeout(SAVE_MS)]);
    const saved = orAbort(surface.save({ signal: late, deadline: clock.monotonic() + SAVE_MS, log }), late);
    this.saving = saved.then(
      (state) => state !== null && this.saved(state, turn, index + 1),
      (thrown: unknown) => log.debug({ step: index, error: String(thrown) }, 'the state of the surface was not kept'),
    ) as Promise<void>;
  }

  /** The surface was brought to a state from which the attempt goes on at another step. */
  moveTo(step: number, surface: string): void {
    this.step = step;
    this.saved(surface, this.turn, step);
  }

  /** Resolves when the state of now is known, if there is one. */
  settled(): Promise<void> {
    return this.saving;
  }

  /** The safe point that goes with the next events, once. */
  take(): Saved | undefined {
    clearTimeout(this.ahead);
    const saved = this.waiting;
    this.waiting = undefined;
    return saved;
  }

  private saved(surface: string, turn: number, step: number): void {
    if (turn < this.kept.turn) return;
    const state = writeState({ surface, values: this.hidden() });
    if (Buffer.byteLength(state) > MAX_STATE) {
      this.options.log.debug(
        { step, bytes: Buffer.byteLength(state) },
        'the state of the surface is too large to be kept',
      );
      return;
    }
    // Steps that only looked since then found the surface as it was.
    this.kept = { turn, step: turn === this.turn ? this.step : step };
    this.keep(state, this.kept.step);
  }

  private keep(state: string | undefined, step = this.step): void {
    const isNew = state !== this.lastState || this.waiting?.state !== undefined;
    this.lastState = state;
    this.waiting = { step, ...(isNew && { state }) };
    this.newest = { step };
    clearTimeout(this.ahead);
    this.ahead = setTimeout(() => {
      if (this.waiting && !this.options.signal.aborted) this.options.sendAhead(this.waiting);
    }, AHEAD_MS);
  }

  /** Values that events show masked. */
  private hidden(): Record<string, Json> {
    const { masker, values } = this.options;
    return Object.fromEntries(
      Object.entries(values)
        .filter(([, { value }]) => JSON.stringify(masker.json(value)) !== JSON.stringify(value))
        .map(([id, { value }]) => [id, value]),
    );
  }
}
