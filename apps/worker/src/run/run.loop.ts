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
  checkOutput,
  endingOf,
  Masker,
  outOfSeconds,
  overBudget,
  renderStep,
  resolveOutput,
  revealSecrets,
  secondsLeft,
  stepTitle,
  takeoverPlan,
  type Clock,
  type Ending,
  type Log,
  type Surface,
  type SurfaceHost,
  type TemplateScope,
} from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import { InputFiles } from '../files/input-files.ts';
import type { Folders } from '../files/folders.ts';
import { Uploads } from '../files/uploads.ts';
import type { ActParts } from './act.ts';
import { maskedLog } from './masked-log.ts';
import { Recorder } from './recorder.ts';
import { Reporter } from './reporter.ts';
import { carryOut, type StepDone } from './step.ts';
import { follow, orAbort, settlesWithin } from './waits.ts';

/** Milliseconds for opening a surface. */
const OPEN_MS = 30_000;
/** Milliseconds that the gateway has for a secret. */
const SECRET_MS = 10_000;
/** Milliseconds that files of the run have at its end; less when somebody waits for the slot or the cancellation. */
const UPLOADS_MS = 30_000;
const UPLOADS_SOON_MS = 5_000;
/** Milliseconds for the last events before a run is handed back. */
const HANDBACK_MS = 5_000;
/** Milliseconds for the outcome to become durable; then the lease is over anyway. */
const OUTCOME_MS = 300_000;

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
  /** Aborts when no step may go on; the first reason counts. */
  private readonly halt = new AbortController();
  private readonly ties: (() => void)[] = [];
  private readonly values: Record<string, { value: Json }> = {};
  private readonly began: number;
  private surface: Surface | undefined;
  private folder: string | undefined;
  private leaving: PilothouseError | undefined;
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
    this.began = clock.monotonic();
  }

  /** Gives the run back at the next boundary between steps; a run that could not be taken over there goes on. */
  leave(reason: PilothouseError): void {
    this.leaving ??= reason;
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
      this.ties.push(this.stopWhenOutOfTime());
      const output = await this.allSteps();
      await this.finish({ status: 'completed', output }, UPLOADS_MS);
      return { ending: 'complete' };
    } catch (thrown) {
      return await this.endWith(thrown);
    } finally {
      await this.cleanUp();
    }
  }

  private async allSteps(): Promise<Json> {
    const { definition, checkpoints } = this.assignment;
    const plan = takeoverPlan(definition, checkpoints);
    if (plan.kind === 'fail') {
      this.current = plan.step;
      throw plan.error;
    }
    if (plan.kind === 'restart') {
      const facts = { epoch: this.assignment.epoch };
      this.reporter.add('log', 'A former attempt was lost: beginning again at the first step', { facts }, 'warn');
    }
    const folder = await this.parts.folders.make(this.assignment);
    this.folder = folder;
    const opening = this.open(folder);
    opening.catch(() => undefined);
    // The first intent is written meanwhile, unless it could not be taken back.
    if (definition.steps[0]?.repeatable === false) await opening;
    for (const [index, step] of definition.steps.entries()) {
      this.current = index;
      this.mustBegin();
      this.atWork = { index, step, began: this.parts.clock.monotonic() };
      await this.intend(this.atWork);
      const parts = this.actParts(await orAbort(opening, this.halt.signal), folder);
      const done = await carryOut(this.atWork.step, parts);
      this.note(this.atWork, done);
      await this.recorder.acted(parts.surface, index, this.atWork.step, done.outcome.screenshot);
      this.atWork = undefined;
    }
    this.current = null;
    const output = resolveOutput(definition, this.scope());
    checkOutput(definition, output);
    mustFit(output);
    return output;
  }

  /** Whether the next step may begin; looked at before every step, and by `mayAct` before every input. */
  private mustBegin(): void {
    this.mayAct(this.steps);
    if (!this.leaving) return;
    const { definition, epoch } = this.assignment;
    const soFar = definition.steps
      .slice(0, this.acted)
      .map((_, step): Checkpoint => ({ step, status: 'acted', epoch, value: null }));
    if (takeoverPlan(definition, soFar).kind !== 'fail') throw this.leaving;
  }

  private mayAct(steps: number): void {
    this.halt.signal.throwIfAborted();
    const { budget, definition } = this.assignment;
    const seconds = (this.parts.clock.monotonic() - this.began) / 1000;
    const error = overBudget(budget, definition.timeout, { steps, seconds });
    if (error) throw error;
  }

  /** Makes the intent durable, together with the outcome of the step before. */
  private async intend(atWork: AtWork): Promise<void> {
    const step = renderStep(atWork.step, this.scope());
    atWork.step = step;
    const { index } = atWork;
    const title = stepTitle(step);
    const summary = actionSummary(step);
    this.reporter.add('step.acting', title, { step: index, id: step.id ?? null, action: step.action, title, summary });
    this.steps += 1;
    await orAbort(this.reporter.flush(), this.halt.signal);
  }

  private note({ index, step, began }: AtWork, { outcome, page }: StepDone): void {
    const { id } = step;
    const { value, located } = outcome;
    if (id !== undefined) this.values[id] = { value: value ?? null };
    this.acted = index + 1;
    this.reporter.add('step.acted', `${stepTitle(step)}: done`, {
      step: index,
      id: id ?? null,
      rung: 0,
      ms: Math.round(this.parts.clock.monotonic() - began),
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
      if (ending === 'handback') await this.handBack(error);
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
      const data = { step: index, id: step.id ?? null, error: error.view(), ms };
      this.reporter.add(
        'step.failed',
        `${stepTitle(step)}: ${error.message}`,
        data,
        ending === 'fail' ? 'error' : 'warn',
      );
      if (ending === 'fail' && surface) await this.recorder.failed(surface, index, step);
    }
    const outcome: Outcome =
      ending === 'cancel' ? { status: 'cancelled' } : { status: 'failed', error: error.view(), step: this.current };
    await this.finish(outcome, ending === 'cancel' ? UPLOADS_SOON_MS : UPLOADS_MS);
  }

  /** Waits for the files, and writes the outcome with the last events. */
  private async finish(outcome: Outcome, uploadsMs: number): Promise<void> {
    const closing = this.surface?.close();
    if (this.uploads.isBusy) {
      // What happened is durable meanwhile; only the outcome waits.
      this.reporter.flush().catch(() => undefined);
      await this.uploads.settle(uploadsMs);
    }
    const durable = this.reporter.flush(outcome);
    await Promise.all([orAbort(durable, AbortSignal.timeout(OUTCOME_MS)), closing]);
  }

  private async handBack(error: PilothouseError): Promise<void> {
    const closing = this.surface?.close();
    const durable = this.reporter.flush();
    durable.catch(() => undefined);
    await Promise.all([settlesWithin(durable, HANDBACK_MS), this.uploads.settle(UPLOADS_SOON_MS)]);
    this.link.handback(this.reporter.error(error.view()));
    await closing;
  }

  private async open(folder: string): Promise<Surface> {
    const { signal } = this.halt;
    const context = { signal, deadline: this.parts.clock.monotonic() + OPEN_MS, log: this.log };
    const opening = this.parts.host.open({ folder }, context);
    opening.catch(() => undefined);
    const surface = await orAbort(opening, AbortSignal.any([signal, AbortSignal.timeout(OPEN_MS)])).catch(
      (thrown: unknown) => {
        // It may still open: then nobody wants it.
        void opening.then((late) => late.close()).catch(() => undefined);
        signal.throwIfAborted();
        throw toPilothouseError(thrown, 'SURFACE_UNAVAILABLE');
      },
    );
    this.surface = surface;
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
      reveal: (text, origin) => this.reveal(text, origin),
      file: (upload) => files.path(upload),
    };
  }

  private reveal(text: string, origin: string): Promise<string> {
    const { signal } = this.halt;
    return revealSecrets(text, new Set(this.assignment.secrets), async (name) => {
      const deadline = this.parts.clock.monotonic() + SECRET_MS;
      const { value } = await this.link.ask('secret.request', { name, origin }, { signal, deadline });
      this.masker.add(value);
      return value;
    });
  }

  private scope(): TemplateScope {
    const { inputs, secrets, definition, run, epoch } = this.assignment;
    const names = Object.keys(definition.inputs);
    const missing = Object.fromEntries(names.map((name) => [name, null]));
    const plain = Object.entries({ ...missing, ...inputs }).filter(([name]) => !secrets.includes(name));
    return {
      inputs: Object.fromEntries(plain),
      secrets: new Set(secrets),
      steps: this.values,
      run: { id: run, epoch },
    };
  }

  private stop(reason: unknown): void {
    if (!this.halt.signal.aborted) this.halt.abort(reason);
  }

  private stopWhenOutOfTime(): () => void {
    const { budget, definition } = this.assignment;
    const seconds = secondsLeft(budget, definition.timeout, { seconds: 0 });
    if (seconds === Infinity) return () => undefined;
    const timer = setTimeout(() => this.stop(outOfSeconds(budget, definition.timeout)), Math.max(0, seconds * 1000));
    return () => clearTimeout(timer);
  }

  private async cleanUp(): Promise<void> {
    this.stop(new PilothouseError('LEASE_LOST', 'The attempt is over'));
    this.uploads.abandon('The attempt is over');
    await this.surface?.close();
    for (const untie of this.ties) untie();
    if (this.folder === undefined) return;
    await this.parts.folders.remove(this.folder).catch((thrown: unknown) => {
      this.log.warn({ error: String(thrown) }, 'the folder of the attempt could not be removed');
    });
  }
}

function mustFit(output: Json): void {
  const bytes = Buffer.byteLength(JSON.stringify(output));
  if (bytes <= MAX_OUTPUT_BYTES) return;
  throw new PilothouseError('OUTPUT_INVALID', `The output has ${bytes} bytes; at most ${MAX_OUTPUT_BYTES} are kept`, {
    details: { bytes, limit: MAX_OUTPUT_BYTES },
  });
}
