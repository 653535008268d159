import {
  APPROVAL_ASK,
  approvalOf,
  isNonIdempotent,
  MAX_BACKOFF_SECONDS,
  PilothouseError,
  toPilothouseError,
  type Step,
} from '@pilothouse/contract';
import {
  needsPreCheck,
  createStepIntent,
  answersStep,
  postconditionOf,
  renderStep,
  linkAbort,
  secondsToNextAttempt,
  systemTimers,
  type StepPosition,
  type Surface,
  type Timer,
  raceAbort,
} from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import type { InputCounter } from '../actions/run-action.ts';
import { actionScope, type OfAttempt } from '../actions/action-scope.ts';
import type { SurfaceSession } from '../context/surface-session.ts';
import { isCatchable } from '../error-policy.ts';
import { questionOfApproval } from '../context/step-approval.ts';
import type { RunningStep } from '../attempt/step-outcomes.ts';
import { executeStep } from '../steps/step-executors.ts';
import { isStillFalse } from './recovery.ts';

/** Whether the safe points around a step are to be exact. */
const isDelicate = (step: Step) => isNonIdempotent(step) || step.onInterrupted !== undefined;

/** The error of a step that is not idempotent, with whether input may have been sent (`details.inputSent`). */
function withInputSent(thrown: unknown, step: Step, inputSent: boolean): unknown {
  if (!isNonIdempotent(step) || !(thrown instanceof PilothouseError) || !isCatchable(thrown)) return thrown;
  const { code, message, details } = thrown;
  return new PilothouseError(code, message, { details: { ...details, inputSent }, cause: thrown });
}

/**
 * Waits `ms`, or until it is woken: by the drain of the worker, unless it drains already, or by what `onWake` registers.
 * @param onWake registers the wake-up @returns what removes it
 * @throws the reason of `stops.signal`
 */
async function waitUnlessWoken(
  ms: number,
  stops: { readonly signal: AbortSignal; readonly draining: AbortSignal },
  onWake: (wake: () => void) => () => void,
): Promise<void> {
  const cleanups: (() => void)[] = [];
  let timer: Timer | undefined;
  const woken = new Promise<void>((resolve) => {
    timer = systemTimers.setTimeout(resolve, ms);
    if (!stops.draining.aborted) cleanups.push(linkAbort(stops.draining, () => resolve()));
    cleanups.push(onWake(resolve));
  });
  try {
    await raceAbort(woken, stops.signal);
  } finally {
    systemTimers.clearTimeout(timer);
    for (const cleanUp of cleanups) cleanUp();
  }
}

/** What steps are carried out on. */
export interface TurnPlace {
  readonly surface: SurfaceSession;
  /** It opens while the first intent is written. */
  readonly opening: Promise<Surface>;
  readonly folder: string;
}

/** The steps of an attempt, one at a time: from whether one may begin to what became of it. */
export class StepRunner {
  /** The step at work, until it is over; one that ended the attempt stays. */
  AttemptContext: RunningStep | undefined;
  private readonly attempt: OfAttempt;
  private readonly assignedAt: number;

  constructor(attempt: Omit<OfAttempt, 'atWork'>) {
    this.attempt = { ...attempt, atWork: () => this.AttemptContext };
    this.assignedAt = attempt.parts.clock.monotonic();
  }

  /** What actions on a surface get. */
  actParts(surface: Surface, folder: string) {
    return actionScope(surface, folder, this.attempt);
  }

  /** Carries out the step that comes. @throws what ends the attempt */
  async run(place: StepPosition, on: TurnPlace): Promise<void> {
    const { parts, tools, stops, limits } = this.attempt;
    await limits.assertCanStartStep();
    await this.giveWay(place, on);
    const { attempt, notBeforeMs } = tools.progress.nextAttempt(place);
    const atWork: RunningStep = {
      position: place,
      step: place.step,
      startedAtMs: parts.clock.monotonic(),
      attempt,
      isRetried: false,
    };
    this.AttemptContext = atWork;
    try {
      if (notBeforeMs !== null) await this.backOff(notBeforeMs - parts.clock.now().getTime(), place, on);
      await this.approve(atWork, on);
      while (!(await this.attemptStep(atWork, on)));
    } catch (thrown) {
      if (!this.goesOnAfter(thrown, atWork)) throw thrown;
      const surface = await raceAbort(on.opening, stops.signal);
      await on.surface.recordPage(surface);
      this.keepSafe(surface, place);
      await tools.screenshots.afterFailure(surface, place, atWork.step);
    }
    this.AttemptContext = undefined;
  }

  /** One attempt of a step. @returns false: it failed, and another one follows @throws what ends the step */
  private async attemptStep(atWork: RunningStep, on: TurnPlace): Promise<boolean> {
    const { assignment, tools, stops, limits } = this.attempt;
    const { position } = atWork;
    const sentInputs: InputCounter = { count: 0 };
    try {
      await this.polite(atWork, on);
      await this.intend(atWork, on);
      await hit('worker.intent-durable', assignment.run);
      const before = tools.screenshots.onBeforeAction(position, atWork.step);
      const acting = { ...this.actParts(await raceAbort(on.opening, stops.signal), on.folder), sentInputs };
      tools.egress.resetFailures();
      if (limits.startedSteps === 1) this.firstAction();
      const done = await executeStep(atWork.step, { ...acting, ...(before && { before }) }).catch((failed: unknown) => {
        throw stops.signal.aborted ? failed : tools.egress.explained(failed);
      });
      tools.siteLimiter.release(atWork.step, done.page?.url ?? null);
      tools.outcomes.completed(atWork, done);
      await hit('worker.outcome-buffered', assignment.run);
      this.keepSafe(acting.surface, position);
      await tools.screenshots.afterStep(acting.surface, position, atWork.step, done.outcome.screenshot);
      return true;
    } catch (thrown) {
      const failed = withInputSent(thrown, position.step, sentInputs.count > 0);
      const seconds = this.secondsToNextAttempt(failed, atWork, sentInputs.count > 0);
      if (seconds === null) throw failed;
      await this.retryAfter(seconds, toPilothouseError(failed), atWork, on);
      return false;
    }
  }

  /** Seconds until the step is attempted again; null: it is not. */
  private secondsToNextAttempt(thrown: unknown, { position, attempt }: RunningStep, inputSent: boolean): number | null {
    const { link, tools, stops } = this.attempt;
    const error = toPilothouseError(thrown);
    const isOver = stops.signal.aborted || link.lost.aborted || tools.progress.place !== position;
    // Where a person ended the step, it is over.
    if (isOver || !isCatchable(error) || error.details?.['endedBy'] !== undefined) return null;
    return secondsToNextAttempt(position.step, { code: error.code, attempt, inputSent });
  }

  /** Makes a failed attempt durable, and waits until the next one may begin. @throws what ends the attempt at the run meanwhile */
  private async retryAfter(seconds: number, error: PilothouseError, atWork: RunningStep, on: TurnPlace): Promise<void> {
    const { parts, tools } = this.attempt;
    const { position } = atWork;
    const { maxAttempts = 1 } = position.step.retry ?? {};
    tools.outcomes.retrying(atWork, error, { maxAttempts, seconds });
    await this.flush();
    await this.backOff(seconds * 1000, position, on);
    atWork.step = position.step;
    atWork.attempt += 1;
    atWork.isRetried = true;
    atWork.startedAtMs = parts.clock.monotonic();
  }

  /**
   * Waits between two attempts of a step. Nothing is half done meanwhile: a worker that drains gives the run back, and whoever takes the wheel has
   * the surface at once.
   */
  private async backOff(ms: number, place: StepPosition, on: TurnPlace): Promise<void> {
    const { parts, stops, limits, wheel } = this.attempt;
    const until = parts.clock.monotonic() + Math.min(ms, MAX_BACKOFF_SECONDS * 1000);
    for (;;) {
      await limits.assertCanStartStep();
      await this.giveWay(place, on);
      const left = until - parts.clock.monotonic();
      if (left <= 0) return;
      await waitUnlessWoken(left, stops, (wake) => wheel.onTaken(wake));
    }
  }

  /** Before a step nothing is half done: whoever took the wheel has the surface until they give it back. */
  private async giveWay(place: StepPosition, { opening }: TurnPlace): Promise<void> {
    const { stops, limits, wheel, ask } = this.attempt;
    if (!wheel.pendingQuestion(place)) return;
    await raceAbort(opening, stops.signal);
    for (let question = wheel.pendingQuestion(place); question; question = wheel.pendingQuestion(place))
      await ask(question);
    await limits.assertCanStartStep();
  }

  /** Before anything of a step that needs approval is done, a person approves it. @throws PilothouseError APPROVAL_REQUIRED when they refuse */
  private async approve(atWork: RunningStep, { opening }: TurnPlace): Promise<void> {
    const { assignment, parts, tools, stops, limits, ask } = this.attempt;
    if (approvalOf(atWork.step) === undefined) return;
    await raceAbort(opening, stops.signal);
    const step = renderStep(atWork.step, tools.progress.scope());
    const question = questionOfApproval(step, atWork.position);
    const { answer: earlier } = assignment;
    // A question of an attempt before, which gave its slot back or was lost.
    const isAnswered = earlier?.questionNumber === APPROVAL_ASK && answersStep(earlier, atWork.position);
    const { choice, answeredBy: by } = isAnswered ? earlier : await ask(question);
    if (choice !== 'continue')
      throw new PilothouseError('APPROVAL_REQUIRED', `${by} did not approve the step: ${question.reason}`);
    await limits.assertCanStartStep();
    atWork.startedAtMs = parts.clock.monotonic();
  }

  private firstAction(): void {
    const { metrics, clock, isFirstRun } = this.attempt.parts;
    const start = isFirstRun ? 'cold' : 'warm';
    metrics.observe('worker_first_action_seconds', { start }, clock.monotonic() - this.assignedAt);
  }

  /** Waits until a site with a limit has room for the run, and looks what its robots.txt says. */
  private async polite(atWork: RunningStep, { opening }: TurnPlace): Promise<void> {
    const { parts, tools, stops, limits } = this.attempt;
    const { siteLimiter, robots, progress } = tools;
    if (!siteLimiter.isEnabled && !robots) return;
    // A turn that is used when the browser has started would come together with the next one.
    await raceAbort(opening, stops.signal);
    const step = progress.renderStep(atWork.step);
    const opened = step ? siteLimiter.urlsOpenedBy(step) : [];
    const noted = Promise.all(opened.map((url) => robots?.check(url)));
    await siteLimiter.acquire(step, () => limits.assertCanStartStep());
    await noted;
    atWork.startedAtMs = parts.clock.monotonic();
  }

  private keepSafe(surface: Surface, { number, step }: StepPosition): void {
    const { assignment, tools } = this.attempt;
    if (tools.progress.place && assignment.definition.onWorkerLost !== 'fail')
      tools.safePoints.stepCompleted(surface, number, step);
  }

  /** Whether the workflow catches what its step threw; then the failure is noted, and the run goes on. */
  private goesOnAfter(thrown: unknown, atWork: RunningStep): boolean {
    const { link, tools, stops } = this.attempt;
    const { progress, events } = tools;
    const error = toPilothouseError(thrown);
    if (stops.signal.aborted || link.lost.aborted || !isCatchable(error)) return false;
    // An outcome that was noted holds.
    if (progress.place !== atWork.position) return false;
    const view = events.maskError(error.view());
    if (!progress.isCaught(view)) return false;
    tools.outcomes.failed(atWork, error, 'warn');
    progress.complete({ status: 'failed', error: view });
    return true;
  }

  /** Makes the intent durable, together with the outcome of the step before. */
  private async intend(atWork: RunningStep, on: TurnPlace): Promise<void> {
    const { assignment, tools, limits } = this.attempt;
    const step = renderStep(atWork.step, tools.progress.scope());
    atWork.step = step;
    limits.countStep();
    const { attempt } = atWork;
    // The claim has made it.
    if (assignment.firstIntentWritten && atWork.position.number === 0 && attempt === 1) return;
    const verifiable = await this.tells(step, on);
    const { message, data } = createStepIntent(step, atWork.position);
    tools.events.add('step.started', message, {
      ...data,
      ...(attempt > 1 && { attempt }),
      ...(verifiable && { verifiable }),
    });
    const { previousStep } = tools.progress;
    if (isDelicate(step) || (previousStep && isDelicate(previousStep))) await tools.safePoints.whenSaved();
    await this.flush();
  }

  /** Makes what was noted durable, with the safe point. */
  private async flush(): Promise<void> {
    const { tools, stops } = this.attempt;
    const saved = tools.safePoints.takePending();
    await raceAbort(tools.events.flush(saved && { safePoint: saved }), stops.signal);
  }

  /** Whether what is to be true after a step is not so before it. Not asked of a surface that is still opening. */
  private async tells(step: Step, { surface, folder }: TurnPlace): Promise<boolean> {
    const { assignment, tools } = this.attempt;
    const { current } = surface;
    if (!current || assignment.definition.onWorkerLost === 'fail' || !needsPreCheck(step)) return false;
    const condition = postconditionOf(step, tools.progress.renderNextStep());
    return condition !== null && isStillFalse(current, condition, this.actParts(current, folder));
  }
}
