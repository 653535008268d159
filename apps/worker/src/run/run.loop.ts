import {
  PilothouseError,
  toPilothouseError,
  type Assignment,
  type Checkpoint,
  type Json,
  type Outcome,
  type Step,
} from '@pilothouse/contract';
import {
  actionSummary,
  asksWhetherItHappened,
  checkOutput,
  endingOf,
  Masker,
  overBudget,
  postconditionOf,
  renderStep,
  resolveOutput,
  stepTitle,
  takeoverPlan,
  type Clock,
  type Ending,
  type Log,
  type Surface,
  type SurfaceHost,
} from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { InputFiles } from '../files/input-files.ts';
import type { Folders } from '../files/folders.ts';
import { Uploads } from '../files/uploads.ts';
import type { ActParts } from './act.ts';
import { maskedLog } from './masked-log.ts';
import { Recorder } from './recorder.ts';
import { askPerson } from './asking.ts';
import { finish, handBack, UPLOADS_MS, UPLOADS_SOON_MS, type EndParts } from './ending.ts';
import { openSurface } from './opening.ts';
import { Reporter } from './reporter.ts';
import { readState, SafePoints, type SavedState } from './safe-points.ts';
import { Secrets } from './secrets.ts';
import { carryOut, type StepDone } from './step.ts';
import { notYet, takeOver, type TakeoverParts } from './takeover.ts';
import { Values } from './values.ts';
import { WorkTime } from './work-time.ts';
import { follow, orAbort } from './waits.ts';

/** Largest output, in bytes of JSON: it travels in one message. */
const MAX_OUTPUT_BYTES = 1_000_000;

export interface RunParts {
  readonly host: Pick<SurfaceHost, 'open'>;
  readonly folders: Pick<Folders, 'make' | 'remove'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The gateway over HTTP: where transfers without a host lead. */
  readonly base: URL;
  readonly random: () => number;
  readonly telemetry: Pick<Telemetry, 'count' | 'observe' | 'add'>;
}

/** How an attempt ended, for the worker. */
export interface AttemptEnd {
  readonly ending: 'complete' | Ending;
  readonly error?: PilothouseError;
}

/** The step at work, until its outcome is noted. */
interface AtWork {
  readonly index: number;
  /** With its templates replaced, once they are. */
  step: Step;
  readonly began: number;
}

/** Why nothing goes on after an attempt. One for all: an error notes where it was made, and that takes longer than most of the end. */
const over = new PilothouseError('LEASE_LOST', 'The attempt is over');

/** One attempt at a run: opens a surface, carries out the steps and says how it went. It never throws. */
export class RunLoop {
  private readonly assignment: Assignment;
  private readonly link: AttemptLink;
  private readonly parts: RunParts;
  private readonly log: Log;
  private readonly masker = new Masker();
  private readonly reporter: Reporter;
  private readonly uploads: Uploads;
  private readonly recorder: Recorder;
  private readonly safePoints: SafePoints;
  private readonly saved: SavedState | null;
  private readonly time: WorkTime;
  /** Aborts when no step may go on; the first reason counts. */
  private readonly halt = new AbortController();
  private readonly ties: (() => void)[] = [];
  private readonly values: Values;
  private readonly secrets: Secrets;
  private surface: Surface | undefined;
  private folder: string | undefined;
  private leaving: PilothouseError | undefined;
  /** Aborts when the worker wants to go; a run that waits for a person goes at once. */
  private readonly wanting = new AbortController();
  private atWork: AtWork | undefined;
  /** Index of the step at work, or next. */
  private current: number | null = null;
  private steps = 0;
  private acted = 0;

  constructor(assignment: Assignment, link: AttemptLink, parts: RunParts) {
    this.assignment = assignment;
    this.link = link;
    this.parts = parts;
    const { run, epoch, record } = assignment;
    const { clock, base, random } = parts;
    this.log = maskedLog(parts.log, this.masker, { run, epoch });
    this.reporter = new Reporter(link, this.masker, clock);
    this.uploads = new Uploads({
      link,
      clock,
      base,
      random,
      onFailed: ({ name }, { code, message }) =>
        this.reporter.add('log', `${name} was not kept: ${message}`, { facts: { file: name, code } }, 'warn'),
    });
    this.recorder = new Recorder({
      record,
      uploads: this.uploads,
      masker: this.masker,
      clock,
      log: this.log,
      signal: link.lost,
    });
    const saved = assignment.saved && readState(assignment.saved.state);
    this.saved = saved;
    this.values = new Values(assignment);
    const values = this.values.steps;
    this.secrets = new Secrets({ assignment, link, masker: this.masker, clock, signal: this.halt.signal });
    this.safePoints = new SafePoints(
      {
        masker: this.masker,
        values,
        clock,
        log: this.log,
        signal: link.lost,
        sendAhead: (saved) => link.save(saved),
      },
      assignment.saved,
    );
    this.time = new WorkTime(assignment, clock, (error) => this.stop(error));
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
      this.ties.push(() => this.time.pause());
      await hit('worker.accepted');
      const output = await this.allSteps();
      await finish({ status: 'completed', output }, UPLOADS_MS, this.endParts());
      return { ending: 'complete' };
    } catch (thrown) {
      return await this.endWith(thrown);
    } finally {
      await this.cleanUp();
    }
  }

  private async allSteps(): Promise<Json> {
    const { definition, checkpoints, answer } = this.assignment;
    const plan = takeoverPlan(definition, { checkpoints, saved: this.saved && this.assignment.saved, answer });
    if (plan.kind === 'fail') {
      this.current = plan.step;
      throw plan.error;
    }
    const folder = await this.parts.folders.make(this.assignment);
    this.folder = folder;
    const opening = this.open(folder);
    opening.catch(() => undefined);
    let from = 0;
    let settled: ReadonlySet<number> = new Set();
    if (plan.kind === 'go-on') {
      this.current = plan.doubt?.step ?? plan.from;
      const surface = await orAbort(opening, this.halt.signal);
      ({ from, settled } = await takeOver(plan, this.takeoverParts(surface, folder)));
    }
    // The first intent is written meanwhile, unless it could not be taken back.
    if (definition.steps[from]?.repeatable === false) await opening;
    for (const [index, step] of definition.steps.entries()) {
      if (index < from || settled.has(index)) continue;
      this.current = index;
      await this.mustBegin();
      this.atWork = { index, step, began: this.parts.clock.monotonic() };
      await this.intend(this.atWork, folder);
      await hit('worker.intent-durable');
      const parts = this.actParts(await orAbort(opening, this.halt.signal), folder);
      const done = await carryOut(this.atWork.step, parts);
      this.note(this.atWork, done);
      await hit('worker.outcome-noted');
      const isLast = index === definition.steps.length - 1;
      if (!isLast && definition.resume !== 'fail') this.safePoints.after(parts.surface, index, step);
      await this.recorder.acted(parts.surface, index, this.atWork.step, done.outcome.screenshot);
      this.atWork = undefined;
    }
    this.current = null;
    const output = resolveOutput(definition, this.values.scope());
    checkOutput(definition, output);
    mustFit(output);
    return output;
  }

  /** What taking over, and asking a person on the way, need of this attempt. */
  private takeoverParts(surface: Surface, folder: string): TakeoverParts {
    const { assignment, link, values, secrets, safePoints, reporter, saved, time } = this;
    const stop = (reason: unknown) => this.stop(reason);
    const asking = { link, reporter, time, stop, halt: this.halt.signal, leaving: this.wanting.signal };
    return {
      assignment,
      act: this.actParts(surface, folder),
      saved,
      values,
      secrets,
      safePoints,
      reporter,
      ask: (question) => askPerson(question, assignment.askHoldMs, asking),
    };
  }

  /** Whether the next step may begin; looked at before every step, and by `mayAct` before every input. */
  private async mustBegin(): Promise<void> {
    this.mayAct(this.steps);
    if (!this.leaving) return;
    await this.safePoints.settled();
    const { definition, epoch } = this.assignment;
    const checkpoints = definition.steps
      .slice(0, this.acted)
      .map((_, step): Checkpoint => ({ step, status: 'acted', epoch, value: null, telling: false }));
    const plan = takeoverPlan(definition, { checkpoints, saved: this.safePoints.last, answer: null });
    if (plan.kind !== 'fail' && !(plan.kind === 'go-on' && plan.doubt?.otherwise === 'ask')) throw this.leaving;
  }

  private mayAct(steps: number): void {
    this.halt.signal.throwIfAborted();
    const { budget, definition } = this.assignment;
    const error = overBudget(budget, definition.timeout, { steps, seconds: this.time.seconds });
    if (error) throw error;
  }

  /** Makes the intent durable, together with the outcome of the step before. */
  private async intend(atWork: AtWork, folder: string): Promise<void> {
    const step = renderStep(atWork.step, this.values.scope());
    atWork.step = step;
    const { index } = atWork;
    const telling = await this.tells(index, step, folder);
    const data = {
      step: index,
      id: step.id ?? null,
      action: step.action,
      title: stepTitle(step),
      summary: actionSummary(step),
      ...(telling && { telling }),
    };
    this.reporter.add('step.acting', data.title, data);
    this.steps += 1;
    const before = this.assignment.definition.steps[index - 1];
    if (isDelicate(step) || (before && isDelicate(before))) await this.safePoints.settled();
    const saved = this.safePoints.take();
    await orAbort(this.reporter.flush(saved && { saved }), this.halt.signal);
  }

  /** Whether what is to be true after a step is not so before it. Not asked of a surface that is still opening. */
  private async tells(index: number, step: Step, folder: string): Promise<boolean> {
    const { definition } = this.assignment;
    if (!this.surface || definition.resume === 'fail' || !asksWhetherItHappened(step)) return false;
    const next = definition.steps[index + 1];
    const condition = postconditionOf(step, (next && this.values.rendered(next)) ?? undefined);
    return condition !== null && notYet(this.surface, condition, this.actParts(this.surface, folder));
  }

  private note({ index, step, began }: AtWork, { outcome, page }: StepDone): void {
    const { id } = step;
    const { value, located } = outcome;
    this.values.keep(step, value ?? null);
    this.acted = index + 1;
    const ms = this.parts.clock.monotonic() - began;
    this.parts.telemetry.observe('worker_step_seconds', { action: step.action, rung: '0', result: 'acted' }, ms);
    this.reporter.add('step.acted', `${stepTitle(step)}: done`, {
      step: index,
      id: id ?? null,
      rung: 0,
      ms: Math.round(ms),
      located,
      ...(value !== undefined && { value }),
      page: page && { url: page.url, title: page.title },
    });
  }

  private async endWith(thrown: unknown): Promise<AttemptEnd> {
    const { halt, link } = this;
    const error = toPilothouseError(
      link.lost.aborted ? link.lost.reason : halt.signal.aborted ? halt.signal.reason : thrown,
    );
    if (error.code === 'INTERNAL')
      this.log.error({ error: error.message, stack: error.stack }, 'the run met an unexpected error');
    const ending = endingOf(error.code);
    try {
      if (ending === 'handback') await handBack(error, this.endParts());
      if (ending === 'fail' || ending === 'cancel') await this.end(ending, error);
    } catch (lost) {
      // Nothing can be written any more: whoever took the run writes how it ends.
      this.log.warn({ error: String(lost) }, 'the end of the run could not be written');
      link.lose(toPilothouseError(lost, 'LEASE_LOST'));
    }
    return { ending, error };
  }

  private async end(ending: 'fail' | 'cancel', error: PilothouseError): Promise<void> {
    const { atWork, surface } = this;
    if (atWork) {
      const { index, step, began } = atWork;
      const ms = Math.round(this.parts.clock.monotonic() - began);
      const { telemetry } = this.parts;
      telemetry.observe('worker_step_seconds', { action: step.action, rung: '0', result: 'failed' }, ms);
      telemetry.count('worker_step_failures_total', { code: error.code });
      const data = { step: index, id: step.id ?? null, error: error.view(), ms };
      const level = ending === 'fail' ? 'error' : 'warn';
      this.reporter.add('step.failed', `${stepTitle(step)}: ${error.message}`, data, level);
      if (ending === 'fail' && surface) await this.recorder.failed(surface, index, step);
    }
    const outcome: Outcome =
      ending === 'cancel' ? { status: 'cancelled' } : { status: 'failed', error: error.view(), step: this.current };
    await finish(outcome, ending === 'cancel' ? UPLOADS_SOON_MS : UPLOADS_MS, this.endParts());
  }

  private endParts(): EndParts {
    const { link, reporter, uploads, safePoints, surface } = this;
    return { link, reporter, uploads, safePoints, surface };
  }

  private async open(folder: string): Promise<Surface> {
    const { host, clock, telemetry } = this.parts;
    const parts = { host, clock, log: this.log, signal: this.halt.signal, telemetry };
    const surface = await openSurface(folder, parts);
    this.surface = surface;
    telemetry.add('worker_surfaces_open', 1);
    this.ties.push(follow(surface.lost, (reason) => this.stop(toPilothouseError(reason, 'SURFACE_LOST'))));
    return surface;
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
      log: this.log,
      reveal: (text, origin) => this.secrets.reveal(text, origin),
      file: (upload) => files.path(upload),
    };
  }

  private stop(reason: unknown): void {
    if (!this.halt.signal.aborted) this.halt.abort(reason);
  }

  private async cleanUp(): Promise<void> {
    await hit('worker.closing');
    this.stop(over);
    this.safePoints.take();
    this.uploads.abandon('The attempt is over');
    if (this.surface) {
      await this.surface.close();
      this.parts.telemetry.add('worker_surfaces_open', -1);
    }
    for (const untie of this.ties) untie();
    if (this.folder === undefined) return;
    await this.parts.folders.remove(this.folder).catch((thrown: unknown) => {
      this.log.warn({ error: String(thrown) }, 'the folder of the attempt could not be removed');
    });
  }
}

/** Whether the safe points around a step are to be exact. */
const isDelicate = ({ repeatable, onUnknown }: Step) => repeatable === false || onUnknown !== undefined;

function mustFit(output: Json): void {
  const bytes = Buffer.byteLength(JSON.stringify(output));
  if (bytes <= MAX_OUTPUT_BYTES) return;
  throw new PilothouseError('OUTPUT_INVALID', `The output has ${bytes} bytes; at most ${MAX_OUTPUT_BYTES} are kept`, {
    details: { bytes, limit: MAX_OUTPUT_BYTES },
  });
}
