import type { Json } from '@pilothouse/contract/primitives.schema';
import type { SafePoint } from '@pilothouse/contract/worker/assignment.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import type { Restorable } from '@pilothouse/core/ports/surface.port';
import { withDeadline } from '@pilothouse/core/time/deadlines';
import type { Timer } from '@pilothouse/core/time/timers';
import { isReadOnlyStep } from '@pilothouse/core/workflow/step-effects';
import { MAX_EVENT_BYTES, type AttemptLink, type EventAttachment } from '@pilothouse/infra-link';
import type { AttemptBase } from './attempt-base.ts';

/** Milliseconds for a surface to return its state. */
const SAVE_MS = 2_000;

/** Milliseconds that a safe point waits for the next events before it is sent alone. */
const SEND_DELAY_MS = 150;

/** Values of completed read-only branches of a step. A later attempt does not repeat these branches. */
export interface CompletedBranches {
  readonly step: number;
  readonly path: string;
  /** By name of the branch. */
  readonly values: Readonly<Record<string, Json>>;
}

/** State that another worker needs to continue: the surface, and values that events show masked. */
export interface SafePointState {
  readonly surface: string;
  /** By number of the step. */
  readonly values: ReadonlyMap<number, Json>;
  readonly branches?: CompletedBranches | undefined;
}

/** The safe point in its stored form. */
export const serializeSafePoint = ({ surface, values, branches }: SafePointState): string =>
  JSON.stringify({ surface, values: Object.fromEntries(values), branches });

export function parseSafePoint(text: string): SafePointState {
  const { surface, values, branches } = JSON.parse(text) as Omit<SafePointState, 'values'> & {
    values: Record<string, Json>;
  };
  return {
    surface,
    values: new Map(Object.entries(values).map(([number, value]) => [Number(number), value])),
    branches,
  };
}

/**
 * Tracks the safe point of an attempt. The surface returns its state while the next step starts, so that no step waits for it. Only the
 * steps around a non-repeatable one wait.
 */
export class SafePointTracker {
  private readonly base: Pick<AttemptBase, 'clock' | 'timers' | 'log'> & {
    readonly link: Pick<AttemptLink, 'lossSignal' | 'sendSafePoint'>;
  };
  private readonly maskedValues: ReadonlyMap<number, Json>;
  /** Sent with the next events. */
  private pending: SafePoint | undefined;
  private saving: Promise<void> = Promise.resolve();
  /** Number of steps that changed something. A state of an older count is discarded. */
  private mutationCount = 0;
  private lastSaved = { mutationCount: -1, step: 0 };
  private step = 0;
  private lastState: string | undefined;
  private lastSurface: string | undefined;
  private sendTimer: Timer | undefined;
  private latestStep: Pick<SafePoint, 'step'> | null;
  private branches: CompletedBranches | undefined;

  /**
   * @param maskedValues values that events show masked, by number of the step; read at each save
   * @param restored the safe point that the attempt started from
   */
  constructor(
    base: SafePointTracker['base'],
    maskedValues: ReadonlyMap<number, Json>,
    restored: Pick<SafePoint, 'step'> | null,
  ) {
    this.base = base;
    this.maskedValues = maskedValues;
    this.latestStep = restored;
  }

  /** The newest safe point. */
  get latest(): Pick<SafePoint, 'step'> | null {
    return this.latestStep;
  }

  /** Restores the completed branches of an earlier attempt. */
  inherit({ branches }: Pick<SafePointState, 'branches'>): void {
    this.branches = branches;
  }

  /** Values of the branches of a step that are not repeated, by name. */
  completedBranches({ number, path }: Pick<StepPosition, 'number' | 'path'>): Readonly<Record<string, Json>> {
    return this.branches?.step === number && this.branches.path === path ? this.branches.values : {};
  }

  /** Saves the surface before the branches of a step start: their values need a safe point. */
  async prepareBranches(surface: Pick<Restorable, 'save'>, { number }: Pick<StepPosition, 'number'>): Promise<void> {
    await this.saving;
    if (this.lastSurface !== undefined) return;
    const state = await this.readState(surface).catch(() => null);
    if (state !== null) this.setState(number, state);
  }

  /** Stores the value of a completed read-only branch. */
  completeBranch({ number, path }: Pick<StepPosition, 'number' | 'path'>, name: string, value: Json): void {
    this.branches = { step: number, path, values: { ...this.completedBranches({ number, path }), [name]: value } };
    if (this.lastSurface !== undefined) this.save(this.lastSurface, this.lastSaved.mutationCount, this.lastSaved.step);
  }

  stepCompleted(surface: Pick<Restorable, 'save'>, index: number, step: Step): void {
    this.step = index + 1;
    if (isReadOnlyStep(step)) {
      // A masked value belongs to the state.
      if (this.lastSaved.mutationCount === this.mutationCount && this.lastSurface !== undefined)
        this.save(this.lastSurface, this.mutationCount, this.step);
      return;
    }
    this.mutationCount += 1;
    const { mutationCount } = this;
    const { log } = this.base;
    this.saving = this.readState(surface).then(
      (state) => state !== null && this.save(state, mutationCount, index + 1),
      (thrown: unknown) => log.debug({ step: index, error: String(thrown) }, 'surface state not saved'),
    ) as Promise<void>;
  }

  /** Sets the state of a restored surface, from which the attempt continues at another step. */
  setState(step: number, surface: string): void {
    this.step = step;
    this.save(surface, this.mutationCount, step);
  }

  /** Resolves when the current state is saved, or cannot be. */
  whenSaved(): Promise<void> {
    return this.saving;
  }

  /** Returns the safe point for the next events, once. */
  consumePending(): SafePoint | undefined {
    this.base.timers.clearTimeout(this.sendTimer);
    const { pending } = this;
    this.pending = undefined;
    return pending;
  }

  private readState(surface: Pick<Restorable, 'save'>): Promise<string | null> {
    const { clock, timers, log, link } = this.base;
    const deadline = clock.monotonic() + SAVE_MS;
    return withDeadline(SAVE_MS, link.lossSignal, (signal) => surface.save({ signal, deadline, log }), { timers });
  }

  private save(surface: string, mutationCount: number, step: number): void {
    if (mutationCount < this.lastSaved.mutationCount) return;
    const savedStep = mutationCount === this.mutationCount ? this.step : step;
    // Branches of a step before the safe point are no longer needed.
    if (this.branches && this.branches.step < savedStep) this.branches = undefined;
    const state = serializeSafePoint({ surface, values: this.maskedValues, branches: this.branches });
    // Measured in wire form, where quotes are escaped again. Events with a larger attachment could not be written.
    const attachment: EventAttachment = { safePoint: { step: savedStep, state } };
    const bytes = Buffer.byteLength(JSON.stringify(attachment));
    if (bytes > MAX_EVENT_BYTES) {
      this.base.log.debug({ step, bytes }, 'surface state too large for a safe point');
      return;
    }
    // Read-only steps since then did not change the surface.
    this.lastSurface = surface;
    this.lastSaved = { mutationCount, step: savedStep };
    this.schedule(state, savedStep);
  }

  private schedule(state: string, step: number): void {
    const { timers, link } = this.base;
    const isNew = state !== this.lastState || this.pending?.state !== undefined;
    this.lastState = state;
    this.pending = { step, ...(isNew && { state }) };
    this.latestStep = { step };
    timers.clearTimeout(this.sendTimer);
    this.sendTimer = timers.setTimeout(() => {
      if (this.pending && !link.lossSignal.aborted) link.sendSafePoint(this.pending);
    }, SEND_DELAY_MS);
  }
}
