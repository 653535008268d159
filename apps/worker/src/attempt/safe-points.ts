import type { Json, SafePoint, Step } from '@pilothouse/contract';
import {
  isReadOnlyStep,
  type Clock,
  type Log,
  type StepPosition,
  type Surface,
  withDeadline,
  systemTimers,
  type Timer,
} from '@pilothouse/core';
import { MAX_EVENT_BYTES, type EventAttachment } from '@pilothouse/infra-link';

/** Milliseconds that a surface has to say what it takes to come back to where it is. */
const SAVE_MS = 2_000;

/** Milliseconds that a safe point waits for the events it rides with before it goes ahead. */
const AHEAD_MS = 150;

/** What branches of a step came to by which nothing was changed: they are not begun again. */
export interface CompletedBranches {
  readonly step: number;
  readonly at: string;
  /** By name of the branch. */
  readonly values: Readonly<Record<string, Json>>;
}

/** What another worker needs to go on: the surface, and what the events do not say because it holds a secret. */
export interface SafePointState {
  readonly surface: string;
  /** By number of the step. */
  readonly values: ReadonlyMap<number, Json>;
  readonly branches?: CompletedBranches | undefined;
}

/** A state as it travels. One without hidden values is written as the first version had it, so that its workers read it. */
export const serializeSafePoint = ({ surface, values, branches }: SafePointState): string =>
  JSON.stringify({ v: values.size === 0 ? 1 : 2, surface, values: Object.fromEntries(values), branches });

/**
 * @param steps of the workflow: the first version, which knew no control flow, kept values by the id of their step
 * @returns null for a state that a newer version of the worker wrote
 */
export function parseSafePoint(text: string, steps: readonly { id?: string | undefined }[]): SafePointState | null {
  const { v, surface, values, branches } = JSON.parse(text) as Omit<SafePointState, 'values'> & {
    v: number;
    values: Record<string, Json>;
  };
  if (v !== 1 && v !== 2) return null;
  const numberOf = (key: string) => (v === 1 ? steps.findIndex(({ id }) => id === key) : Number(key));
  return { surface, values: new Map(Object.entries(values).map(([key, value]) => [numberOf(key), value])), branches };
}

export interface SafePointsOptions {
  /** What was read and events show masked, by number of the step, as it is known now. */
  readonly hidden: ReadonlyMap<number, Json>;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when nothing can be written any more. */
  readonly signal: AbortSignal;
  /** The next events are long in coming: the safe point goes ahead of them. */
  sendAhead(saved: SafePoint): void;
}

/**
 * Keeps the safe point of an attempt. The surface says its state while the next step is on its way, so that no step waits for it; only
 * around a step that must not be repeated it is waited for.
 */
export class SafePointTracker {
  private readonly options: SafePointsOptions;
  /** What rides with the next events. */
  private waiting: SafePoint | undefined;
  private saving: Promise<void> = Promise.resolve();
  /** Steps that did something, counted; a state that comes after a newer one is not wanted. */
  private turn = 0;
  private kept = { turn: -1, step: 0 };
  private step = 0;
  private lastState: string | undefined;
  private lastSurface: string | undefined;
  private ahead: Timer | undefined;
  private newest: Pick<SafePoint, 'step'> | null;
  private branches: CompletedBranches | undefined;

  /** @param from the safe point that the attempt began at */
  constructor(options: SafePointsOptions, from: Pick<SafePoint, 'step'> | null) {
    this.options = options;
    this.newest = from;
  }

  /** The newest safe point that is known. */
  get latest(): Pick<SafePoint, 'step'> | null {
    return this.newest;
  }

  /** A former attempt left this: it is known from here on. */
  inherit({ branches }: Pick<SafePointState, 'branches'>): void {
    this.branches = branches;
  }

  /** What branches of a step came to that are not begun again, by name. */
  completedBranches({ number, path: at }: Pick<StepPosition, 'number' | 'path'>): Readonly<Record<string, Json>> {
    return this.branches?.step === number && this.branches.at === at ? this.branches.values : {};
  }

  /** Branches of a step begin. What they come to is kept with a safe point, and there is none before the first. */
  async prepareBranches(surface: Pick<Surface, 'save'>, { number }: Pick<StepPosition, 'number'>): Promise<void> {
    await this.saving;
    if (this.lastSurface !== undefined) return;
    const state = await this.stateOf(surface).catch(() => null);
    if (state !== null) this.setState(number, state);
  }

  /** A branch that only reads has come to its end. */
  completeBranch(place: Pick<StepPosition, 'number' | 'path'>, name: string, value: Json): void {
    this.branches = { step: place.number, at: place.path, values: { ...this.completedBranches(place), [name]: value } };
    if (this.lastSurface !== undefined) this.saved(this.lastSurface, this.kept.turn, this.kept.step);
  }

  /** A step has happened. */
  stepCompleted(surface: Pick<Surface, 'save'>, index: number, step: Step): void {
    this.step = index + 1;
    if (isReadOnlyStep(step)) {
      // What it read may be hidden, and belongs to the state then.
      if (this.kept.turn === this.turn && this.lastSurface !== undefined)
        this.saved(this.lastSurface, this.turn, this.step);
      return;
    }
    this.turn += 1;
    const { turn } = this;
    const { log } = this.options;
    this.saving = this.stateOf(surface).then(
      (state) => state !== null && this.saved(state, turn, index + 1),
      (thrown: unknown) => log.debug({ step: index, error: String(thrown) }, 'the state of the surface was not kept'),
    ) as Promise<void>;
  }

  /** The surface was brought to a state from which the attempt goes on at another step. */
  setState(step: number, surface: string): void {
    this.step = step;
    this.saved(surface, this.turn, step);
  }

  /** Resolves when the state of now is known, if there is one. */
  whenSaved(): Promise<void> {
    return this.saving;
  }

  /** The safe point that goes with the next events, once. */
  takePending(): SafePoint | undefined {
    systemTimers.clearTimeout(this.ahead);
    const saved = this.waiting;
    this.waiting = undefined;
    return saved;
  }

  private stateOf(surface: Pick<Surface, 'save'>): Promise<string | null> {
    const { clock, log, signal } = this.options;
    const deadline = clock.monotonic() + SAVE_MS;
    return withDeadline(SAVE_MS, signal, (late) => surface.save({ signal: late, deadline, log }));
  }

  private saved(surface: string, turn: number, step: number): void {
    if (turn < this.kept.turn) return;
    const from = turn === this.turn ? this.step : step;
    // Of a step before the safe point nobody asks any more.
    if (this.branches && this.branches.step < from) this.branches = undefined;
    const state = serializeSafePoint({ surface, values: this.options.hidden, branches: this.branches });
    // As it travels: within JSON its quotes are escaped once more, and events that it is too large to ride with would not be written.
    const rider: EventAttachment = { safePoint: { step: from, state } };
    const bytes = Buffer.byteLength(JSON.stringify(rider));
    if (bytes > MAX_EVENT_BYTES) {
      this.options.log.debug({ step, bytes }, 'the state of the surface is too large to be kept');
      return;
    }
    // Steps that only looked since then found the surface as it was.
    this.lastSurface = surface;
    this.kept = { turn, step: from };
    this.keep(state, this.kept.step);
  }

  private keep(state: string, step: number): void {
    const isNew = state !== this.lastState || this.waiting?.state !== undefined;
    this.lastState = state;
    this.waiting = { step, ...(isNew && { state }) };
    this.newest = { step };
    systemTimers.clearTimeout(this.ahead);
    this.ahead = systemTimers.setTimeout(() => {
      if (this.waiting && !this.options.signal.aborted) this.options.sendAhead(this.waiting);
    }, AHEAD_MS);
  }
}
