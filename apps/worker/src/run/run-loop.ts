import {
  isNonIdempotent,
  PilothouseError,
  type RunAnswer,
  type Assignment,
  type Json,
  type RunQuestion,
} from '@pilothouse/contract';
import { checkOutput, resolveOutput, planRecovery, type DialogWatch, linkAbort, raceAbort } from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import type { AttemptLink } from '@pilothouse/infra-link';
import { askHuman } from '../context/human-questions.ts';
import { SurfaceSession } from '../context/surface-session.ts';
import {
  endWithError,
  finishAttempt,
  UPLOAD_TIMEOUT_MS,
  type AttemptResult,
  type BrokenOff,
} from './finish-attempt.ts';
import { BudgetGuard } from '../attempt/budget-guard.ts';
import { RunCancellation } from '../attempt/cancellation.ts';
import { recover, type TakeoverParts } from './recovery.ts';
import { createAttemptContext, type WorkerServices, type AttemptContext } from '../context/attempt-context.ts';
import { StepRunner, type TurnPlace } from './step-runner.ts';
import { ManualControl } from '../control/manual-control.ts';

/** Largest output, in bytes of JSON: it travels in one message. */
const MAX_OUTPUT_BYTES = 1_000_000;

/** Why nothing goes on after an attempt. One for all: an error notes where it was made, and that takes longer than most of the end. */
const over = new PilothouseError('LEASE_LOST', 'The attempt is over');

/** One attempt at a run: opens a surface, carries out the steps and says how it went. It never throws. */
export class RunLoop {
  private readonly assignment: Assignment;
  private readonly link: AttemptLink;
  private readonly parts: WorkerServices;
  private readonly stops = new RunCancellation();
  private readonly tools: AttemptContext;
  private readonly surface: SurfaceSession;
  private readonly turns: StepRunner;
  private readonly wheel: ManualControl;
  private readonly ties: (() => void)[] = [];
  private folder: string | undefined;
  /** Number of the step at work, or next. */
  private current: number | null = null;

  constructor(assignment: Assignment, link: AttemptLink, parts: WorkerServices) {
    const { stops } = this;
    this.assignment = assignment;
    this.link = link;
    this.parts = parts;
    this.tools = createAttemptContext(assignment, link, parts, {
      signal: stops.signal,
      step: () => this.current,
      stop: (reason) => stops.abort(reason),
    });
    const { tools } = this;
    const limits = new BudgetGuard({ assignment, stops, tools });
    const ask = (question: RunQuestion) => this.ask(question);
    this.wheel = new ManualControl({ link, events: tools.events, masker: tools.masker });
    const dialogs: DialogWatch = {
      opened: (dialog) => this.wheel.askDialog(dialog),
      answered: (answered) => this.wheel.noteDialog(answered),
    };
    this.surface = new SurfaceSession({ assignment, link, parts, tools, stops, dialogs });
    this.turns = new StepRunner({ assignment, link, parts, tools, stops, limits, wheel: this.wheel, ask });
  }

  /** Gives the run back at the next boundary between steps; a run that could not be taken over there goes on. */
  drain(reason: PilothouseError): void {
    this.stops.drain(reason);
  }

  /** Stops the step at work and gives the run back. */
  abort(reason: PilothouseError): void {
    this.stops.abort(reason);
  }

  /** Carries the run out, to whichever end. */
  async run(): Promise<AttemptResult> {
    try {
      this.ties.push(linkAbort(this.link.lost, (reason) => this.stops.abort(reason)));
      this.ties.push(linkAbort(this.link.lease.endSignal, (reason) => this.stops.abort(reason)));
      this.ties.push(() => this.tools.time.pause());
      await hit('worker.accepted', this.assignment.run);
      const output = await this.allSteps();
      await this.surface.fileHandlersDone();
      await finishAttempt({ status: 'completed', output }, UPLOAD_TIMEOUT_MS, this.endParts());
      return { result: 'complete' };
    } catch (thrown) {
      return await endWithError(thrown, this.endParts());
    } finally {
      await this.cleanUp();
    }
  }

  private async allSteps(): Promise<Json> {
    const { progress } = this.tools;
    const { definition, answer } = this.assignment;
    const { onWorkerLost } = definition;
    const left = {
      checkpoints: progress.previousCheckpoints,
      safePoint: this.tools.restoredState && this.assignment.safePoint,
      answer,
    };
    const plan = planRecovery({ places: progress.previousPositions, onWorkerLost }, left);
    if (plan.kind === 'fail') {
      this.current = plan.step;
      throw plan.error;
    }
    const folder = await this.parts.workspaces.create(this.assignment);
    this.folder = folder;
    // What a safe point holds is newer than the profile.
    const restores = plan.kind === 'go-on' && plan.restore;
    const opening = this.surface.open(folder, restores, () => this.current);
    opening.catch(() => undefined);
    const on: TurnPlace = { surface: this.surface, opening, folder };
    if (plan.kind === 'go-on') {
      this.current = plan.doubt?.step ?? plan.from;
      await recover(plan, await this.takeoverParts(on));
      await this.surface.recordPage(await opening);
    }
    // The first intent is written meanwhile, unless it could not be taken back.
    if (progress.place && isNonIdempotent(progress.place.step)) await opening;
    for (let { place } = progress; place; { place } = progress) {
      const known = progress.knownOutcome();
      if (known) {
        progress.complete(known);
        continue;
      }
      this.current = place.number;
      await this.turns.run(place, on);
    }
    await this.surface.lastFiles();
    this.current = null;
    if (progress.failure) throw progress.failure;
    const output = resolveOutput(definition, progress.scope());
    checkOutput(definition, output);
    mustFit(output);
    return output;
  }

  /** What taking over, and asking a person on the way, need of this attempt. */
  private async takeoverParts({ opening, folder }: TurnPlace): Promise<TakeoverParts> {
    const { assignment } = this;
    const { progress, secrets, safePoints, events, restoredState: saved } = this.tools;
    const act = this.turns.actParts(await raceAbort(opening, this.stops.signal), folder);
    const comesTo = (step: number) => {
      this.current = step;
    };
    const ask = (question: RunQuestion) => this.ask(question);
    return { assignment, act, saved, progress, secrets, safePoints, events, comesTo, ask };
  }

  private endParts(): BrokenOff {
    const { link, surface, turns, stops, tools, current } = this;
    const { events, uploads, safePoints, debugArtifacts: traces, log, outcomes: notes, screenshots } = tools;
    return {
      ...{ link, events, uploads, safePoints, traces, log, notes, screenshots },
      surface: surface.current,
      signal: stops.signal,
      atWork: turns.AttemptContext,
      step: current,
      lastFiles: () => surface.lastFiles(),
    };
  }

  private async ask(question: RunQuestion): Promise<RunAnswer> {
    const { assignment, link, stops, wheel, surface, folder } = this;
    const { events, time } = this.tools;
    const stop = (reason: unknown) => stops.abort(reason);
    const isDriven = () => wheel.isActive;
    const parts = { link, events, time, isDriven, stop, signal: stops.signal, leaving: stops.draining };
    const leave =
      surface.current && folder !== undefined
        ? wheel.startSession({ act: this.turns.actParts(surface.current, folder), step: stepOf(question) })
        : undefined;
    try {
      return await askHuman(question, assignment.questionHoldMs, parts);
    } finally {
      await leave?.();
    }
  }

  private async cleanUp(): Promise<void> {
    await hit('worker.before-cleanup', this.assignment.run);
    this.stops.abort(over);
    this.tools.safePoints.takePending();
    this.tools.uploads.abandon('The attempt is over');
    this.tools.debugArtifacts.abandon();
    await this.surface.close();
    await this.tools.egress.close();
    for (const untie of this.ties) untie();
    if (this.folder === undefined) return;
    await this.parts.workspaces.remove(this.folder).catch((thrown: unknown) => {
      this.tools.log.warn({ error: String(thrown) }, 'the folder of the attempt could not be removed');
    });
  }
}

const stepOf = ({ step, path, id }: RunQuestion) => ({ step, ...(path !== undefined && { path }), id });

function mustFit(output: Json): void {
  const bytes = Buffer.byteLength(JSON.stringify(output));
  if (bytes <= MAX_OUTPUT_BYTES) return;
  throw new PilothouseError('OUTPUT_INVALID', `The output has ${bytes} bytes; at most ${MAX_OUTPUT_BYTES} are kept`, {
    details: { bytes, limit: MAX_OUTPUT_BYTES },
  });
}
