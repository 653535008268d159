import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { idSchema } from '@pilothouse/contract/primitives.schema';
import { APPROVAL_QUESTION_NUMBER } from '@pilothouse/contract/run/approval-question';
import { MAX_BACKOFF_SECONDS } from '@pilothouse/contract/workflow/step-retry.schema';
import { approvalOf, isNonIdempotent, type Step } from '@pilothouse/contract/workflow/step.schema';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import { answersStep } from '@pilothouse/core/interpreter/step-path';
import { isRestorable, type Surface } from '@pilothouse/core/ports/surface.port';
import { recoveryPolicyOf } from '@pilothouse/core/run/run-recovery';
import { createStepIntent } from '@pilothouse/core/run/step-intent';
import { secondsToNextAttempt } from '@pilothouse/core/workflow/step-retry';
import { renderStep } from '@pilothouse/core/workflow/secret-placeholders';
import { linkAbort, raceAbort } from '@pilothouse/core/time/deadlines';
import type { Timer } from '@pilothouse/core/time/timers';
import { needsPreCheck, postconditionOf } from '@pilothouse/core/workflow/step-effects';
import { failpoint } from '@pilothouse/infra-fault';
import type { RunningStep } from '../attempt/running-step.ts';
import { actionScope, NO_HISTORY, type AttemptContext, type StepContext } from '../context/attempt-context.ts';
import { approvalQuestion, requestHumanAnswer, yieldToOperator } from '../context/human-questions.ts';
import { isCatchable } from '../error-policy.ts';
import { executeStep } from '../steps/step-executors.ts';
import { isConditionFalse } from './recovery.ts';

/** Runs the steps of an attempt sequentially, from the check whether a step may start to its recorded outcome. */
export class StepRunner {
  private readonly attempt: AttemptContext;
  private readonly assignedAt: number;

  constructor(attempt: AttemptContext) {
    this.attempt = attempt;
    this.assignedAt = attempt.clock.monotonic();
  }

  /** Runs the next step. @throws the error that ends the attempt */
  async run(position: StepPosition): Promise<void> {
    const { attempt } = this;
    const { clock, budget, progress, surfaceSession, screenshots } = attempt;
    await budget.assertCanStartStep();
    await this.yieldBeforeStep(position);
    const { attempt: number, notBeforeMs } = progress.nextAttempt(position);
    const running: RunningStep = {
      position,
      step: position.step,
      startedAtMs: clock.monotonic(),
      attempt: number,
      inputCounter: { count: 0 },
      wasExpectationFalse: false,
      isRetried: false,
    };
    attempt.runningStep = running;
    try {
      if (notBeforeMs !== null) await this.backOff(notBeforeMs - clock.now().getTime(), position);
      await this.requestApproval(running);
      while (!(await this.tryStep(running)));
    } catch (thrown) {
      if (!this.isCaughtByWorkflow(thrown, running)) throw thrown;
      const surface = await surfaceSession.waitUntilOpen();
      await surfaceSession.recordPage();
      this.saveSafePoint(surface, position);
      await screenshots.afterFailure(surface, position, running.step);
    }
    attempt.runningStep = null;
  }

  /** Runs one attempt of the step. @returns false: it failed and is retried @throws the error that ends the step */
  private async tryStep(running: RunningStep): Promise<boolean> {
    const { assignment, cancellation, budget, egress, siteLimiter, outcomes, screenshots, surfaceSession } =
      this.attempt;
    const { position } = running;
    const inputCounter = { count: 0 };
    running.inputCounter = inputCounter;
    running.wasExpectationFalse = false;
    try {
      await this.waitForSite(running);
      await this.writeIntent(running);
      await failpoint('worker.intent-durable', assignment.run);
      const onScreenshot = screenshots.onBeforeAction(position, running.step);
      const surface = await surfaceSession.waitUntilOpen();
      egress.resetFailures();
      if (budget.startedSteps === 1) this.observeFirstAction();
      const ctx = {
        ...this.stepContext(running, surface),
        inputCounter,
        ...(onScreenshot && { onPreActionScreenshot: onScreenshot }),
      };
      const result = await executeStep(ctx).catch((thrown: unknown) => {
        throw cancellation.signal.aborted ? thrown : egress.explainError(thrown);
      });
      siteLimiter.release(running.step, result.page?.url ?? null);
      outcomes.recordCompletion(running, result);
      await failpoint('worker.outcome-buffered', assignment.run);
      this.saveSafePoint(surface, position);
      await screenshots.afterStep(surface, position, running.step, result.outcome.screenshot);
      return true;
    } catch (thrown) {
      const error = addInputSent(thrown, position.step, inputCounter.count > 0);
      const seconds = this.secondsToNextAttempt(error, running, inputCounter.count > 0);
      if (seconds === null) throw error;
      await this.retryAfter(seconds, toPilothouseError(error), running);
      return false;
    }
  }

  private stepContext(running: RunningStep, surface: Surface): StepContext {
    const { attempt } = this;
    const { assignment, control, siteLimiter } = attempt;
    return {
      ...actionScope(attempt, surface),
      attempt,
      running,
      step: running.step,
      siteLimiter,
      history: running.isRetried ? NO_HISTORY : assignment,
      interruption: {
        onControlTaken: (callback) => control.onControlTaken(callback),
        yieldToOperator: (remainingMs) => yieldToOperator(attempt, remainingMs),
      },
      branch: null,
    };
  }

  /** Seconds until the next attempt of the step; null: none. */
  private secondsToNextAttempt(
    thrown: unknown,
    { position, attempt }: RunningStep,
    isInputSent: boolean,
  ): number | null {
    const error = toPilothouseError(thrown);
    // A step that a person ended is not retried.
    const isEndedByPerson = error.details?.['endedBy'] !== undefined;
    if (this.isAttemptOver || this.isOutcomeRecorded(position) || !isCatchable(error) || isEndedByPerson) return null;
    return secondsToNextAttempt(position.step, { code: error.code, attempt, inputSent: isInputSent });
  }

  /** Records a failed attempt durably, and waits for the next one. @throws the error that ends the attempt meanwhile */
  private async retryAfter(seconds: number, error: PilothouseError, running: RunningStep): Promise<void> {
    const { clock, outcomes } = this.attempt;
    const { position } = running;
    const { maxAttempts = 1 } = position.step.retry ?? {};
    outcomes.recordRetry(running, error, { maxAttempts, seconds });
    await this.flush();
    await this.backOff(seconds * 1000, position);
    running.step = position.step;
    running.attempt += 1;
    running.isRetried = true;
    running.startedAtMs = clock.monotonic();
  }

  /** Waits between two attempts of a step. A draining worker hands the run back, and a person can take control at once. */
  private async backOff(ms: number, position: StepPosition): Promise<void> {
    const { clock, budget } = this.attempt;
    const end = clock.monotonic() + Math.min(ms, MAX_BACKOFF_SECONDS * 1000);
    for (;;) {
      await budget.assertCanStartStep();
      await this.yieldBeforeStep(position);
      const remainingMs = end - clock.monotonic();
      if (remainingMs <= 0) return;
      await this.waitUntilInterrupted(remainingMs);
    }
  }

  /** Waits until the time has elapsed, the worker drains or a person takes control. @throws the reason of the cancellation */
  private async waitUntilInterrupted(ms: number): Promise<void> {
    const { timers, cancellation, control } = this.attempt;
    const cleanups: (() => void)[] = [];
    let timer: Timer | undefined;
    const wakeUp = new Promise<void>((resolve) => {
      timer = timers.setTimeout(resolve, ms);
      if (!cancellation.draining.aborted) cleanups.push(linkAbort(cancellation.draining, () => resolve()));
      cleanups.push(control.onControlTaken(resolve));
    });
    try {
      await raceAbort(wakeUp, cancellation.signal);
    } finally {
      timers.clearTimeout(timer);
      for (const cleanUp of cleanups) cleanUp();
    }
  }

  /** Lets a person in control use the surface before a step starts, until they release it. */
  private async yieldBeforeStep(position: StepPosition): Promise<void> {
    const { budget, control, surfaceSession } = this.attempt;
    if (!control.pendingQuestion(position)) return;
    await surfaceSession.waitUntilOpen();
    for (let question = control.pendingQuestion(position); question; question = control.pendingQuestion(position))
      await requestHumanAnswer(this.attempt, question);
    await budget.assertCanStartStep();
  }

  /** Asks a person to approve a step that needs approval. @throws PilothouseError APPROVAL_REQUIRED when they refuse */
  private async requestApproval(running: RunningStep): Promise<void> {
    const { assignment, clock, budget, progress, surfaceSession } = this.attempt;
    if (approvalOf(running.step) === undefined) return;
    await surfaceSession.waitUntilOpen();
    const step = renderStep(running.step, progress.scope());
    const question = approvalQuestion(step, running.position);
    // An earlier attempt asked, and handed the run back or was lost.
    const { answer: previous } = assignment;
    const isAnswered = previous?.questionNumber === APPROVAL_QUESTION_NUMBER && answersStep(previous, running.position);
    const { choice, answeredBy } = isAnswered ? previous : await requestHumanAnswer(this.attempt, question);
    if (choice !== 'continue')
      throw new PilothouseError('APPROVAL_REQUIRED', `${answeredBy} declined the step: ${question.reason}`);
    await budget.assertCanStartStep();
    running.startedAtMs = clock.monotonic();
  }

  private observeFirstAction(): void {
    const { metrics, clock, worker } = this.attempt;
    const start = worker.isFirstRun ? 'cold' : 'warm';
    metrics.observe('worker_first_action_seconds', { start }, clock.monotonic() - this.assignedAt);
  }

  /** Acquires the site limits of a step, and checks robots.txt. */
  private async waitForSite(running: RunningStep): Promise<void> {
    const { clock, budget, progress, robots, siteLimiter, surfaceSession } = this.attempt;
    if (!siteLimiter.isEnabled && !robots) return;
    // A permit that is used only once the browser is open would coincide with the next one.
    await surfaceSession.waitUntilOpen();
    const step = progress.renderStep(running.step);
    const urls = step ? siteLimiter.urlsOpenedBy(step) : [];
    const robotsChecks = Promise.all(urls.map((url) => robots?.check(url)));
    await siteLimiter.acquire(step, () => budget.assertCanStartStep());
    await robotsChecks;
    running.startedAtMs = clock.monotonic();
  }

  private saveSafePoint(surface: Surface, { number, step }: StepPosition): void {
    const { assignment, progress, safePoints } = this.attempt;
    if (isRestorable(surface) && progress.nextPosition && recoveryPolicyOf(assignment.definition) !== 'fail')
      safePoints.stepCompleted(surface, number, step);
  }

  /** Records a failure that the workflow catches. @returns false: the failure ends the attempt */
  private isCaughtByWorkflow(thrown: unknown, running: RunningStep): boolean {
    const { progress, events, outcomes } = this.attempt;
    const error = toPilothouseError(thrown);
    if (this.isAttemptOver || !isCatchable(error) || this.isOutcomeRecorded(running.position)) return false;
    const view = events.maskError(error.view());
    if (!progress.isCaught(view)) return false;
    outcomes.recordFailure(running, error, 'warn');
    progress.complete({ status: 'failed', error: view });
    return true;
  }

  private get isAttemptOver(): boolean {
    const { cancellation, link } = this.attempt;
    return cancellation.signal.aborted || link.lossSignal.aborted;
  }

  /** True if the outcome is in the event buffer. It is final: a later error of the same step is not caught. */
  private isOutcomeRecorded(position: StepPosition): boolean {
    return this.attempt.progress.nextPosition !== position;
  }

  /** Writes the intent of a step durably, together with the outcome of the previous step. */
  private async writeIntent(running: RunningStep): Promise<void> {
    const { assignment, progress, budget, events, safePoints } = this.attempt;
    const step = renderStep(running.step, progress.scope());
    running.step = step;
    budget.countStep();
    const { attempt } = running;
    // The claim wrote the first intent.
    if (assignment.firstIntentWritten && running.position.number === 0 && attempt === 1) return;
    const verifiable = await this.isPostconditionFalse(step);
    running.wasExpectationFalse = verifiable && step.expect !== undefined;
    const { message, data } = createStepIntent(step, running.position, await this.fileNameOf(step));
    events.add('step.started', message, {
      ...data,
      ...(attempt > 1 && { attempt }),
      ...(verifiable && { verifiable }),
    });
    const { previousStep } = progress;
    if (needsExactSafePoint(step) || (previousStep && needsExactSafePoint(previousStep))) await safePoints.whenSaved();
    await this.flush();
  }

  /** The name of the file that an `upload` step attaches; undefined if the gateway does not know it: the step then fails. */
  private async fileNameOf(step: Step): Promise<string | undefined> {
    if (step.action !== 'upload' || !idSchema.safeParse(step.file).success) return undefined;
    try {
      return (await this.attempt.inputFiles.facts(step.file)).name;
    } catch {
      return undefined;
    }
  }

  /** Makes buffered events durable, with the safe point. */
  private async flush(): Promise<void> {
    const { events, safePoints, cancellation } = this.attempt;
    const safePoint = safePoints.consumePending();
    await raceAbort(events.flush(safePoint && { safePoint }), cancellation.signal);
  }

  /** True if the postcondition does not hold yet, so that it can verify the step later. Not read while the surface opens. */
  private async isPostconditionFalse(step: Step): Promise<boolean> {
    const { assignment, progress, surfaceSession } = this.attempt;
    const { current } = surfaceSession;
    if (!current || recoveryPolicyOf(assignment.definition) === 'fail' || !needsPreCheck(step)) return false;
    const condition = postconditionOf(step, progress.renderNextStep());
    return condition !== null && isConditionFalse(condition, actionScope(this.attempt, current));
  }
}

/** True if the safe points before and after the step must be exact. */
const needsExactSafePoint = (step: Step) => isNonIdempotent(step) || step.onInterrupted !== undefined;

/** Adds to the error of a non-idempotent step whether input may have been sent (`details.inputSent`). */
function addInputSent(thrown: unknown, step: Step, isInputSent: boolean): unknown {
  if (!isNonIdempotent(step) || !(thrown instanceof PilothouseError) || !isCatchable(thrown)) return thrown;
  const { code, message, details } = thrown;
  return new PilothouseError(code, message, { details: { ...details, inputSent: isInputSent }, cause: thrown });
}
