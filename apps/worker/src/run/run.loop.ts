import {
  isOnce,
  PilothouseError,
  toPilothouseError,
  type Answer,
  type Assignment,
  type Json,
  type Outcome,
  type Question,
  type Step,
} from '@pilothouse/contract';
import {
  asksWhetherItHappened,
  checkOutput,
  endingOf,
  intentOf,
  overBudget,
  postconditionOf,
  readsResponses,
  renderStep,
  resolveOutput,
  takeoverPlan,
  type Ending,
  type Place,
  type Surface,
  type SurfaceFile,
} from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import type { AttemptLink } from '@pilothouse/infra-link';
import { InputFiles } from '../files/input-files.ts';
import type { ActParts } from './act.ts';
import { askPerson } from './asking.ts';
import { finish, handBack, UPLOADS_MS, UPLOADS_SOON_MS, type EndParts } from './ending.ts';
import { openSurface } from './opening.ts';
import { agentParts } from './goal/goal.parts.ts';
import { reachGoal } from './goal/goal.ts';
import { healParts, mayHeal } from './heal/heal.parts.ts';
import { heal } from './heal/heal.ts';
import { lastFiles } from './last-files.ts';
import { LiveView } from './live.ts';
import type { AtWork } from './notes.ts';
import { carryOut } from './step.ts';
import { notYet, takeOver, type TakeoverParts } from './takeover.ts';
import { toolsFor, type RunParts, type RunTools } from './tools.ts';
import { follow, orAbort } from './waits.ts';

/** Milliseconds for asking where the surface is. */
const ANCHORS_MS = 2_000;

/** Largest output, in bytes of JSON: it travels in one message. */
const MAX_OUTPUT_BYTES = 1_000_000;

/** How an attempt ended, for the worker. */
export interface AttemptEnd {
  readonly ending: 'complete' | Ending;
  readonly error?: PilothouseError;
}

/** Why nothing goes on after an attempt. One for all: an error notes where it was made, and that takes longer than most of the end. */
const over = new PilothouseError('LEASE_LOST', 'The attempt is over');

/** One attempt at a run: opens a surface, carries out the steps and says how it went. It never throws. */
export class RunLoop {
  private readonly assignment: Assignment;
  private readonly link: AttemptLink;
  private readonly parts: RunParts;
  private readonly tools: RunTools;
  /** Aborts when no step may go on; the first reason counts. */
  private readonly halt = new AbortController();
  private readonly ties: (() => void)[] = [];
  private readonly live: LiveView;
  private readonly files = new Set<Promise<void>>();
  private surface: Surface | undefined;
  private folder: string | undefined;
  private leaving: PilothouseError | undefined;
  /** Aborts when the worker wants to go; a run that waits for a person goes at once. */
  private readonly wanting = new AbortController();
  private atWork: AtWork | undefined;
  /** Number of the step at work, or next. */
  private current: number | null = null;
  private steps = 0;
  private readonly assignedAt: number;

  constructor(assignment: Assignment, link: AttemptLink, parts: RunParts) {
    this.assignment = assignment;
    this.link = link;
    this.parts = parts;
    this.assignedAt = parts.clock.monotonic();
    this.live = new LiveView(link);
    this.ties.push(() => this.live.close());
    this.tools = toolsFor(assignment, link, parts, {
      halt: this.halt.signal,
      step: () => this.current,
      stop: (reason) => this.stop(reason),
    });
  }

  /** Gives the run back at the next boundary between steps; a run that could not be taken over there goes on. */
  leave(reason: PilothouseError): void {
    this.leaving ??= reason;
    this.wanting.abort(reason);
  }

  /** Stops the step at work and gives the run back. */
  leaveNow(reason: PilothouseError): void {
    this.stop(reason);
  }

  /** Carries the run out, to whichever end. */
  async run(): Promise<AttemptEnd> {
    try {
      this.ties.push(follow(this.link.lost, (reason) => this.stop(reason)));
      this.ties.push(follow(this.link.lease.ended, (reason) => this.stop(reason)));
      this.ties.push(() => this.tools.time.pause());
      await hit('worker.accepted');
      const output = await this.allSteps();
      await Promise.all(this.files);
      await finish({ status: 'completed', output }, UPLOADS_MS, this.endParts());
      return { ending: 'complete' };
    } catch (thrown) {
      return await this.endWith(thrown);
    } finally {
      await this.cleanUp();
    }
  }

  private async allSteps(): Promise<Json> {
    const { course } = this.tools;
    const { definition, answer } = this.assignment;
    const { resume } = definition;
    const left = { checkpoints: course.left, saved: this.tools.saved && this.assignment.saved, answer };
    const plan = takeoverPlan({ places: course.places, resume }, left);
    if (plan.kind === 'fail') {
      this.current = plan.step;
      throw plan.error;
    }
    const folder = await this.parts.folders.make(this.assignment);
    this.folder = folder;
    // What a safe point holds is newer than the profile.
    const restores = plan.kind === 'go-on' && plan.restore;
    const opening = this.open(folder, restores);
    opening.catch(() => undefined);
    if (plan.kind === 'go-on') {
      this.current = plan.doubt?.step ?? plan.from;
      const surface = await orAbort(opening, this.halt.signal);
      await takeOver(plan, this.takeoverParts(surface, folder));
      await this.arrived(surface);
    }
    // The first intent is written meanwhile, unless it could not be taken back.
    if (course.place && isOnce(course.place.step)) await opening;
    for (let { place } = course; place; { place } = course) {
      const known = course.known();
      if (known) course.done(known);
      else await this.oneStep(place, opening, folder);
    }
    await this.lastFiles();
    this.current = null;
    if (course.failure) throw course.failure;
    const output = resolveOutput(definition, course.scope());
    checkOutput(definition, output);
    mustFit(output);
    return output;
  }

  private async oneStep(place: Place, opening: Promise<Surface>, folder: string): Promise<void> {
    this.current = place.number;
    await this.mustBegin();
    const atWork: AtWork = { place, step: place.step, began: this.parts.clock.monotonic() };
    this.atWork = atWork;
    try {
      await this.polite(atWork, opening);
      await this.intend(atWork, folder);
      await hit('worker.intent-durable');
      const before = this.tools.recorder.before(place.number, atWork.step);
      const acting = this.actParts(await orAbort(opening, this.halt.signal), folder);
      const parts = { ...acting, ...(before && { before }) };
      this.tools.egress.stepBegins();
      if (this.steps === 1) this.firstAction();
      const done = await carryOut(atWork.step, parts).catch((failed: unknown) => {
        throw this.halt.signal.aborted ? failed : this.tools.egress.explained(failed);
      });
      this.tools.politeness.after(atWork.step, done.page?.url ?? null);
      this.tools.notes.acted(atWork, done);
      await hit('worker.outcome-noted');
      this.keepSafe(parts.surface, place);
      await this.tools.recorder.acted(parts.surface, place.number, atWork.step, done.outcome.screenshot);
    } catch (thrown) {
      if (!this.goesOnAfter(thrown, atWork)) throw thrown;
      const surface = await orAbort(opening, this.halt.signal);
      await this.arrived(surface);
      this.keepSafe(surface, place);
      await this.tools.recorder.failed(surface, place.number, atWork.step);
    }
    this.atWork = undefined;
  }

  private async lastFiles(): Promise<void> {
    const { surface, tools, parts, halt } = this;
    const { reporter, log } = tools;
    if (surface) await lastFiles(surface, { reporter, log, clock: parts.clock, halt: halt.signal });
  }

  private firstAction(): void {
    const { telemetry, clock, isFirst } = this.parts;
    const start = isFirst ? 'cold' : 'warm';
    telemetry.observe('worker_first_action_seconds', { start }, clock.monotonic() - this.assignedAt);
  }

  /** Waits until a site with a limit has room for the run, and looks what its robots.txt says. */
  private async polite(atWork: AtWork, opening: Promise<Surface>): Promise<void> {
    const { politeness, robots, course } = this.tools;
    if (!politeness.isOn && !robots) return;
    // A turn that is used when the browser has started would come together with the next one.
    await orAbort(opening, this.halt.signal);
    const step = course.rendered(atWork.step);
    const opened = step ? politeness.opens(step) : [];
    const noted = Promise.all(opened.map((url) => robots?.note(url)));
    await politeness.before(step, () => this.mustBegin());
    await noted;
    atWork.began = this.parts.clock.monotonic();
  }

  /** The page that a takeover brought back, or that a step left when it failed. */
  private async arrived(surface: Surface): Promise<void> {
    if (!this.tools.politeness.isOn) return;
    const { clock, log } = this.parts;
    const context = { signal: this.halt.signal, deadline: clock.monotonic() + ANCHORS_MS, log };
    const page = await surface.anchors(context).catch(() => null);
    this.tools.politeness.after(null, page?.url ?? null);
  }

  private keepSafe(surface: Surface, { number, step }: Place): void {
    if (this.tools.course.place && this.assignment.definition.resume !== 'fail')
      this.tools.safePoints.after(surface, number, step);
  }

  /** Whether the workflow catches what its step threw; then the failure is noted, and the run goes on. */
  private goesOnAfter(thrown: unknown, atWork: AtWork): boolean {
    const { halt, link } = this;
    const { course, reporter } = this.tools;
    const error = toPilothouseError(thrown);
    if (halt.signal.aborted || link.lost.aborted || endingOf(error.code) !== 'fail' || neverCaught.has(error.code))
      return false;
    // An outcome that was noted holds.
    if (course.place !== atWork.place) return false;
    const view = reporter.error(error.view());
    if (!course.catches(view)) return false;
    this.tools.notes.failed(atWork, error, 'warn');
    course.done({ status: 'failed', error: view });
    return true;
  }

  /** What taking over, and asking a person on the way, need of this attempt. */
  private takeoverParts(surface: Surface, folder: string): TakeoverParts {
    const { assignment } = this;
    const { course, secrets, safePoints, reporter, saved } = this.tools;
    return {
      assignment,
      act: this.actParts(surface, folder),
      saved,
      course,
      secrets,
      safePoints,
      reporter,
      ask: (question) => this.ask(question),
    };
  }

  /** Whether the next step may begin; looked at before every step, and by `mayAct` before every input. */
  private async mustBegin(): Promise<void> {
    this.mayAct(this.steps);
    if (!this.leaving) return;
    await this.tools.safePoints.settled();
    const { resume } = this.assignment.definition;
    const { places, checkpoints } = this.tools.course.leaving;
    const plan = takeoverPlan({ places, resume }, { checkpoints, saved: this.tools.safePoints.last, answer: null });
    if (plan.kind !== 'fail' && !(plan.kind === 'go-on' && plan.doubt?.otherwise === 'ask')) throw this.leaving;
  }

  private mayAct(steps: number): void {
    this.halt.signal.throwIfAborted();
    const { budget, definition } = this.assignment;
    const error = overBudget(budget, definition.timeout, { steps, seconds: this.tools.time.seconds });
    if (error) throw error;
  }

  /** Makes the intent durable, together with the outcome of the step before. */
  private async intend(atWork: AtWork, folder: string): Promise<void> {
    const step = renderStep(atWork.step, this.tools.course.scope());
    atWork.step = step;
    this.steps += 1;
    // The claim has made it.
    if (this.assignment.intended && atWork.place.number === 0) return;
    const telling = await this.tells(step, folder);
    const { message, data } = intentOf(step, atWork.place);
    this.tools.reporter.add('step.acting', message, { ...data, ...(telling && { telling }) });
    const { before } = this.tools.course;
    if (isDelicate(step) || (before && isDelicate(before))) await this.tools.safePoints.settled();
    const saved = this.tools.safePoints.take();
    await orAbort(this.tools.reporter.flush(saved && { saved }), this.halt.signal);
  }

  /** Whether what is to be true after a step is not so before it. Not asked of a surface that is still opening. */
  private async tells(step: Step, folder: string): Promise<boolean> {
    const { definition } = this.assignment;
    if (!this.surface || definition.resume === 'fail' || !asksWhetherItHappened(step)) return false;
    const condition = postconditionOf(step, this.tools.course.nextRendered());
    return condition !== null && notYet(this.surface, condition, this.actParts(this.surface, folder));
  }

  private async endWith(thrown: unknown): Promise<AttemptEnd> {
    const { halt, link } = this;
    const error = orHandedBack(
      toPilothouseError(link.lost.aborted ? link.lost.reason : halt.signal.aborted ? halt.signal.reason : thrown),
      link.lost,
    );
    if (error.code === 'INTERNAL')
      this.tools.log.error({ error: error.message, stack: error.stack }, 'the run met an unexpected error');
    const ending = endingOf(error.code);
    try {
      if (ending === 'handback') await handBack(error, this.endParts());
      if (ending === 'fail' || ending === 'cancel') await this.end(ending, error);
    } catch (lost) {
      // Nothing can be written any more: whoever took the run writes how it ends.
      this.tools.log.warn({ error: String(lost) }, 'the end of the run could not be written');
      link.lose(toPilothouseError(lost, 'LEASE_LOST'));
    }
    return { ending, error };
  }

  private async end(ending: 'fail' | 'cancel', error: PilothouseError): Promise<void> {
    const { atWork, surface } = this;
    if (atWork) {
      this.tools.notes.failed(atWork, error, ending === 'fail' ? 'error' : 'warn');
      if (ending === 'fail' && surface) await this.tools.recorder.failed(surface, atWork.place.number, atWork.step);
    }
    // Files that came before the failure may tell of it.
    if (ending === 'fail' && !this.halt.signal.aborted) await this.lastFiles().catch(() => undefined);
    const outcome: Outcome =
      ending === 'cancel' ? { status: 'cancelled' } : { status: 'failed', error: error.view(), step: this.current };
    await finish(outcome, ending === 'cancel' ? UPLOADS_SOON_MS : UPLOADS_MS, this.endParts());
  }

  private endParts(): EndParts {
    const { link, surface } = this;
    const { reporter, uploads, safePoints, traces } = this.tools;
    return { link, reporter, uploads, safePoints, surface, traces };
  }

  /** @param restores whether it is brought to a safe point: then it begins empty */
  private async open(folder: string, restores: boolean): Promise<Surface> {
    const { host, clock, telemetry } = this.parts;
    const parts = { host, clock, log: this.tools.log, signal: this.halt.signal, telemetry };
    const [browser, profile] = await Promise.all([
      this.tools.browserOptions(),
      restores ? undefined : this.tools.profiles.load(),
    ]);
    const onFile = (file: SurfaceFile) => this.keep(file);
    const keepResponses = readsResponses(this.assignment.definition);
    const { pass: egress } = this.tools.egress;
    const watch = this.tools.traces.watch(folder);
    const options = {
      folder,
      onFile,
      keepResponses,
      egress,
      ...(browser && { browser }),
      ...(profile && { profile }),
      ...(watch && { watch }),
    };
    const surface = await openSurface(options, parts);
    this.surface = surface;
    this.live.attach(surface);
    telemetry.add('worker_surfaces_open', 1);
    this.ties.push(follow(surface.lost, (reason) => this.stop(toPilothouseError(reason, 'SURFACE_LOST'))));
    return surface;
  }

  /** A file of the surface; the end of the run waits until it is on its way. */
  private keep(file: SurfaceFile): void {
    const kept = this.tools.recorder.file(file, this.current).finally(() => this.files.delete(kept));
    this.files.add(kept);
  }

  private actParts(surface: Surface, folder: string): ActParts {
    const { clock, base, random } = this.parts;
    const { signal } = this.halt;
    const files = new InputFiles({ link: this.link, clock, folder, base, random, signal });
    return {
      surface,
      lease: this.link.lease,
      halt: signal,
      mayAct: () => this.mayAct(this.steps - 1),
      clock,
      log: this.tools.log,
      reveal: (text, origin) => this.tools.secrets.reveal(text, origin),
      file: (upload) => files.path(upload),
      proxy: () => this.tools.egress.proxy(),
      authorities: this.parts.authorities,
      userAgent: this.tools.userAgent(),
      profiles: this.tools.profiles,
      goal: (step, act) => {
        const { assignment, link, tools, atWork } = this;
        if (!atWork) throw new Error('An agent works for a step');
        const ask = (question: Question) => this.ask(question);
        return reachGoal(step, agentParts(atWork, act, { assignment, link, tools, ask }));
      },
      heal: (step, failed, act) => {
        const { assignment, link, tools, atWork } = this;
        if (!atWork || !mayHeal(step, failed, assignment.definition, atWork.place, tools.course)) throw failed;
        const ask = (question: Question) => this.ask(question);
        const parts = healParts(atWork.place, act, { assignment, link, tools, ask });
        return heal(step, toPilothouseError(failed), parts);
      },
    };
  }

  private ask(question: Question): Promise<Answer> {
    const { assignment, link } = this;
    const { reporter, time } = this.tools;
    const stop = (reason: unknown) => this.stop(reason);
    const parts = { link, reporter, time, stop, halt: this.halt.signal, leaving: this.wanting.signal };
    return askPerson(question, assignment.askHoldMs, parts);
  }

  private stop(reason: unknown): void {
    if (!this.halt.signal.aborted) this.halt.abort(reason);
  }

  private async cleanUp(): Promise<void> {
    await hit('worker.closing');
    this.stop(over);
    this.tools.safePoints.take();
    this.tools.uploads.abandon('The attempt is over');
    this.tools.traces.abandon();
    if (this.surface) {
      await this.surface.close();
      this.parts.telemetry.add('worker_surfaces_open', -1);
    }
    await this.tools.egress.close();
    for (const untie of this.ties) untie();
    if (this.folder === undefined) return;
    await this.parts.folders.remove(this.folder).catch((thrown: unknown) => {
      this.tools.log.warn({ error: String(thrown) }, 'the folder of the attempt could not be removed');
    });
  }
}

/** Errors that end a run whatever it would catch. */
const neverCaught: ReadonlySet<string> = new Set(['BUDGET_EXCEEDED', 'INTERNAL', 'PROFILE_NOT_FOUND', 'STEP_UNKNOWN']);

/**
 * Only who lost the run ends without a word. An attempt that goes because its lease is not held at the moment still has the run: with
 * nothing said its link would go on renewing the lease of a run that nobody carries out.
 */
const orHandedBack = (error: PilothouseError, lost: AbortSignal) =>
  error.code === 'LEASE_LOST' && !lost.aborted ? new PilothouseError('HANDED_BACK', error.message) : error;

/** Whether the safe points around a step are to be exact. */
const isDelicate = (step: Step) => isOnce(step) || step.onUnknown !== undefined;

function mustFit(output: Json): void {
  const bytes = Buffer.byteLength(JSON.stringify(output));
  if (bytes <= MAX_OUTPUT_BYTES) return;
  throw new PilothouseError('OUTPUT_INVALID', `The output has ${bytes} bytes; at most ${MAX_OUTPUT_BYTES} are kept`, {
    details: { bytes, limit: MAX_OUTPUT_BYTES },
  });
}
