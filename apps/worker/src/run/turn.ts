import { APPROVAL_ASK, approvalOf, isOnce, PilothouseError, toPilothouseError, type Step } from '@pilothouse/contract';
import {
  asksWhetherItHappened,
  intentOf,
  isAnswerTo,
  postconditionOf,
  renderStep,
  type Place,
  type Surface,
} from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import { actParts, type OfAttempt } from './act.parts.ts';
import type { AttemptSurface } from './attempt.surface.ts';
import { mayCatch } from './caught.ts';
import { questionOfApproval } from './approval.ts';
import type { AtWork } from './notes.ts';
import { carryOut } from './step.ts';
import { notYet } from './takeover.ts';
import { orAbort } from './waits.ts';

/** Whether the safe points around a step are to be exact. */
const isDelicate = (step: Step) => isOnce(step) || step.onUnknown !== undefined;

/** What steps are carried out on. */
export interface TurnPlace {
  readonly surface: AttemptSurface;
  /** It opens while the first intent is written. */
  readonly opening: Promise<Surface>;
  readonly folder: string;
}

/** The steps of an attempt, one at a time: from whether one may begin to what became of it. */
export class Turns {
  /** The step at work, until it is over; one that ended the attempt stays. */
  atWork: AtWork | undefined;
  private readonly attempt: OfAttempt;
  private readonly assignedAt: number;

  constructor(attempt: Omit<OfAttempt, 'atWork'>) {
    this.attempt = { ...attempt, atWork: () => this.atWork };
    this.assignedAt = attempt.parts.clock.monotonic();
  }

  /** What actions on a surface get. */
  actParts(surface: Surface, folder: string) {
    return actParts(surface, folder, this.attempt);
  }

  /** Carries out the step that comes. @throws what ends the attempt */
  async take(place: Place, on: TurnPlace): Promise<void> {
    const { assignment, parts, tools, stops, limits } = this.attempt;
    await limits.mustBegin();
    await this.giveWay(place, on);
    const atWork: AtWork = { place, step: place.step, began: parts.clock.monotonic() };
    this.atWork = atWork;
    try {
      await this.approve(atWork, on);
      await this.polite(atWork, on);
      await this.intend(atWork, on);
      await hit('worker.intent-durable', assignment.run);
      const before = tools.recorder.before(place, atWork.step);
      const acting = this.actParts(await orAbort(on.opening, stops.halt), on.folder);
      tools.egress.stepBegins();
      if (limits.begun === 1) this.firstAction();
      const done = await carryOut(atWork.step, { ...acting, ...(before && { before }) }).catch((failed: unknown) => {
        throw stops.halt.aborted ? failed : tools.egress.explained(failed);
      });
      tools.politeness.after(atWork.step, done.page?.url ?? null);
      tools.notes.acted(atWork, done);
      await hit('worker.outcome-noted', assignment.run);
      this.keepSafe(acting.surface, place);
      await tools.recorder.acted(acting.surface, place, atWork.step, done.outcome.screenshot);
    } catch (thrown) {
      if (!this.goesOnAfter(thrown, atWork)) throw thrown;
      const surface = await orAbort(on.opening, stops.halt);
      await on.surface.arrived(surface);
      this.keepSafe(surface, place);
      await tools.recorder.failed(surface, place, atWork.step);
    }
    this.atWork = undefined;
  }

  /** Before a step nothing is half done: whoever took the wheel has the surface until they give it back. */
  private async giveWay(place: Place, { opening }: TurnPlace): Promise<void> {
    const { stops, limits, wheel, ask } = this.attempt;
    if (!wheel.wanted(place)) return;
    await orAbort(opening, stops.halt);
    for (let question = wheel.wanted(place); question; question = wheel.wanted(place)) await ask(question);
    await limits.mustBegin();
  }

  /** Before anything of a step that needs approval is done, a person approves it. @throws PilothouseError ACTION_GUARDED when they refuse */
  private async approve(atWork: AtWork, { opening }: TurnPlace): Promise<void> {
    const { assignment, parts, tools, stops, limits, ask } = this.attempt;
    if (approvalOf(atWork.step) === undefined) return;
    await orAbort(opening, stops.halt);
    const step = renderStep(atWork.step, tools.course.scope());
    const question = questionOfApproval(step, atWork.place);
    const { answer: earlier } = assignment;
    // A question of an attempt before, which gave its slot back or was lost.
    const isAnswered = earlier?.ask === APPROVAL_ASK && isAnswerTo(earlier, atWork.place);
    const { choice, by } = isAnswered ? earlier : await ask(question);
    if (choice !== 'continue')
      throw new PilothouseError('ACTION_GUARDED', `${by} did not approve the step: ${question.reason}`);
    await limits.mustBegin();
    atWork.began = parts.clock.monotonic();
  }

  private firstAction(): void {
    const { telemetry, clock, isFirst } = this.attempt.parts;
    const start = isFirst ? 'cold' : 'warm';
    telemetry.observe('worker_first_action_seconds', { start }, clock.monotonic() - this.assignedAt);
  }

  /** Waits until a site with a limit has room for the run, and looks what its robots.txt says. */
  private async polite(atWork: AtWork, { opening }: TurnPlace): Promise<void> {
    const { parts, tools, stops, limits } = this.attempt;
    const { politeness, robots, course } = tools;
    if (!politeness.isOn && !robots) return;
    // A turn that is used when the browser has started would come together with the next one.
    await orAbort(opening, stops.halt);
    const step = course.rendered(atWork.step);
    const opened = step ? politeness.opens(step) : [];
    const noted = Promise.all(opened.map((url) => robots?.note(url)));
    await politeness.before(step, () => limits.mustBegin());
    await noted;
    atWork.began = parts.clock.monotonic();
  }

  private keepSafe(surface: Surface, { number, step }: Place): void {
    const { assignment, tools } = this.attempt;
    if (tools.course.place && assignment.definition.resume !== 'fail') tools.safePoints.after(surface, number, step);
  }

  /** Whether the workflow catches what its step threw; then the failure is noted, and the run goes on. */
  private goesOnAfter(thrown: unknown, atWork: AtWork): boolean {
    const { link, tools, stops } = this.attempt;
    const { course, reporter } = tools;
    const error = toPilothouseError(thrown);
    if (stops.halt.aborted || link.lost.aborted || !mayCatch(error)) return false;
    // An outcome that was noted holds.
    if (course.place !== atWork.place) return false;
    const view = reporter.error(error.view());
    if (!course.catches(view)) return false;
    tools.notes.failed(atWork, error, 'warn');
    course.done({ status: 'failed', error: view });
    return true;
  }

  /** Makes the intent durable, together with the outcome of the step before. */
  private async intend(atWork: AtWork, on: TurnPlace): Promise<void> {
    const { assignment, tools, stops, limits } = this.attempt;
    const step = renderStep(atWork.step, tools.course.scope());
    atWork.step = step;
    limits.begin();
    // The claim has made it.
    if (assignment.intended && atWork.place.number === 0) return;
    const telling = await this.tells(step, on);
    const { message, data } = intentOf(step, atWork.place);
    tools.reporter.add('step.acting', message, { ...data, ...(telling && { telling }) });
    const { before } = tools.course;
    if (isDelicate(step) || (before && isDelicate(before))) await tools.safePoints.settled();
    const saved = tools.safePoints.take();
    await orAbort(tools.reporter.flush(saved && { saved }), stops.halt);
  }

  /** Whether what is to be true after a step is not so before it. Not asked of a surface that is still opening. */
  private async tells(step: Step, { surface, folder }: TurnPlace): Promise<boolean> {
    const { assignment, tools } = this.attempt;
    const { now } = surface;
    if (!now || assignment.definition.resume === 'fail' || !asksWhetherItHappened(step)) return false;
    const condition = postconditionOf(step, tools.course.nextRendered());
    return condition !== null && notYet(now, condition, this.actParts(now, folder));
  }
}
