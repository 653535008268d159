import { checkStepBudget, secondsLeft, timeBudgetExceeded } from '@pilothouse/core/run/budget-check';
import { planRecovery, recoveryPolicyOf } from '@pilothouse/core/run/run-recovery';
import type { Timer } from '@pilothouse/core/time/timers';
import type { AttemptBase } from './attempt-base.ts';
import type { RunProgress } from './run-progress.ts';
import type { SafePointTracker } from './safe-points.ts';

/** Enforces the budget of a run: steps, and working time without waits for a person. Aborts the attempt when the time is used up. */
export class BudgetGuard {
  private readonly base: Pick<AttemptBase, 'assignment' | 'clock' | 'timers' | 'cancellation'>;
  private readonly progress: Pick<RunProgress, 'checkpointsIfStopped'>;
  private readonly safePoints: Pick<SafePointTracker, 'whenSaved' | 'latest'>;
  private stepCount = 0;
  private workedMs = 0;
  /** Monotonic milliseconds; undefined while the time is paused. */
  private resumedAt: number | undefined;
  private timer: Timer | undefined;

  constructor(base: BudgetGuard['base'], progress: BudgetGuard['progress'], safePoints: BudgetGuard['safePoints']) {
    this.base = base;
    this.progress = progress;
    this.safePoints = safePoints;
    this.resume();
  }

  /** Number of started steps. */
  get startedSteps(): number {
    return this.stepCount;
  }

  countStep(): void {
    this.stepCount += 1;
  }

  /** Counts a step of a branch. @throws the reason why it may not start */
  countBranchStep(): void {
    this.assertWithin(this.stepCount);
    this.countStep();
  }

  /** Checked in the tick that sends input. @throws the reason why the running step may send none */
  assertCanAct(): void {
    this.assertWithin(this.stepCount - 1);
  }

  /** @throws the reason why the next step may not start. A drained run continues where recovery would fail or ask a person */
  async assertCanStartStep(): Promise<void> {
    this.assertWithin(this.stepCount);
    const { assignment, cancellation } = this.base;
    if (!cancellation.draining.aborted) return;
    await this.safePoints.whenSaved();
    const { previousPositions, checkpoints } = this.progress.checkpointsIfStopped;
    const plan = planRecovery(
      { positions: previousPositions, policy: recoveryPolicyOf(assignment.definition) },
      { checkpoints, safePoint: this.safePoints.latest, answer: null },
    );
    if (plan.kind !== 'fail' && !(plan.kind === 'resume' && plan.uncertainStep?.fallback === 'ask'))
      throw cancellation.draining.reason;
  }

  /** Continues to count working time. */
  resume(): void {
    const { assignment, clock, timers, cancellation } = this.base;
    const { budget, definition } = assignment;
    this.resumedAt ??= clock.monotonic();
    const remaining = secondsLeft(budget, definition.timeout, { seconds: this.workedSeconds });
    if (remaining === Infinity) return;
    timers.clearTimeout(this.timer);
    this.timer = timers.setTimeout(
      () => cancellation.abort(timeBudgetExceeded(budget, definition.timeout)),
      Math.max(0, remaining * 1000),
    );
  }

  /** Stops counting working time until `resume`. */
  pause(): void {
    this.workedMs = this.workedSeconds * 1000;
    this.resumedAt = undefined;
    this.base.timers.clearTimeout(this.timer);
  }

  private get workedSeconds(): number {
    const { resumedAt, base } = this;
    return (this.workedMs + (resumedAt === undefined ? 0 : base.clock.monotonic() - resumedAt)) / 1000;
  }

  private assertWithin(steps: number): void {
    const { assignment, cancellation } = this.base;
    cancellation.signal.throwIfAborted();
    const { budget, definition } = assignment;
    const error = checkStepBudget(budget, definition.timeout, { steps, seconds: this.workedSeconds });
    if (error) throw error;
  }
}
