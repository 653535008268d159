import { isOnce, PilothouseError, type Answer, type Assignment, type Json, type Question } from '@pilothouse/contract';
import { checkOutput, resolveOutput, takeoverPlan, type DialogWatch } from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import type { AttemptLink } from '@pilothouse/infra-link';
import { askPerson } from './asking.ts';
import { AttemptSurface } from './attempt.surface.ts';
import { breakOff, finish, UPLOADS_MS, type AttemptEnd, type BrokenOff } from './ending.ts';
import { Limits } from './limits.ts';
import { Stops } from './stops.ts';
import { takeOver, type TakeoverParts } from './takeover.ts';
import { toolsFor, type RunParts, type RunTools } from './tools.ts';
import { Turns, type TurnPlace } from './turn.ts';
import { follow, orAbort } from './waits.ts';
import { Wheel } from './wheel.ts';

/** Largest output, in bytes of JSON: it travels in one message. */
const MAX_OUTPUT_BYTES = 1_000_000;

/** Why nothing goes on after an attempt. One for all: an error notes where it was made, and that takes longer than most of the end. */
const over = new PilothouseError('LEASE_LOST', 'The attempt is over');

/** One attempt at a run: opens a surface, carries out the steps and says how it went. It never throws. */
export class RunLoop {
  private readonly assignment: Assignment;
  private readonly link: AttemptLink;
  private readonly parts: RunParts;
  private readonly stops = new Stops();
  private readonly tools: RunTools;
  private readonly surface: AttemptSurface;
  private readonly turns: Turns;
  private readonly wheel: Wheel;
  private readonly ties: (() => void)[] = [];
  private folder: string | undefined;
  /** Number of the step at work, or next. */
  private current: number | null = null;

  constructor(assignment: Assignment, link: AttemptLink, parts: RunParts) {
    const { stops } = this;
    this.assignment = assignment;
    this.link = link;
    this.parts = parts;
    this.tools = toolsFor(assignment, link, parts, {
      halt: stops.halt,
      step: () => this.current,
      stop: (reason) => stops.stop(reason),
    });
    const { tools } = this;
    const limits = new Limits({ assignment, stops, tools });
    const ask = (question: Question) => this.ask(question);
    this.wheel = new Wheel({ link, reporter: tools.reporter, masker: tools.masker });
    const dialogs: DialogWatch = {
      opened: (dialog) => this.wheel.askDialog(dialog),
      answered: (answered) => this.wheel.noteDialog(answered),
    };
    this.surface = new AttemptSurface({ assignment, link, parts, tools, stops, dialogs });
    this.turns = new Turns({ assignment, link, parts, tools, stops, limits, wheel: this.wheel, ask });
  }

  /** Gives the run back at the next boundary between steps; a run that could not be taken over there goes on. */
  leave(reason: PilothouseError): void {
    this.stops.leave(reason);
  }

  /** Stops the step at work and gives the run back. */
  leaveNow(reason: PilothouseError): void {
    this.stops.stop(reason);
  }

  /** Carries the run out, to whichever end. */
  async run(): Promise<AttemptEnd> {
    try {
      this.ties.push(follow(this.link.lost, (reason) => this.stops.stop(reason)));
      this.ties.push(follow(this.link.lease.ended, (reason) => this.stops.stop(reason)));
      this.ties.push(() => this.tools.time.pause());
      await hit('worker.accepted', this.assignment.run);
      const output = await this.allSteps();
      await this.surface.filesKept();
      await finish({ status: 'completed', output }, UPLOADS_MS, this.endParts());
      return { ending: 'complete' };
    } catch (thrown) {
      return await breakOff(thrown, this.endParts());
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
    const opening = this.surface.open(folder, restores, () => this.current);
    opening.catch(() => undefined);
    const on: TurnPlace = { surface: this.surface, opening, folder };
    if (plan.kind === 'go-on') {
      this.current = plan.doubt?.step ?? plan.from;
      await takeOver(plan, await this.takeoverParts(on));
      await this.surface.arrived(await opening);
    }
    // The first intent is written meanwhile, unless it could not be taken back.
    if (course.place && isOnce(course.place.step)) await opening;
    for (let { place } = course; place; { place } = course) {
      const known = course.known();
      if (known) {
        course.done(known);
        continue;
      }
      this.current = place.number;
      await this.turns.take(place, on);
    }
    await this.surface.lastFiles();
    this.current = null;
    if (course.failure) throw course.failure;
    const output = resolveOutput(definition, course.scope());
    checkOutput(definition, output);
    mustFit(output);
    return output;
  }

  /** What taking over, and asking a person on the way, need of this attempt. */
  private async takeoverParts({ opening, folder }: TurnPlace): Promise<TakeoverParts> {
    const { assignment } = this;
    const { course, secrets, safePoints, reporter, saved } = this.tools;
    const act = this.turns.actParts(await orAbort(opening, this.stops.halt), folder);
    const comesTo = (step: number) => {
      this.current = step;
    };
    const ask = (question: Question) => this.ask(question);
    return { assignment, act, saved, course, secrets, safePoints, reporter, comesTo, ask };
  }

  private endParts(): BrokenOff {
    const { link, surface, turns, stops, tools, current } = this;
    const { reporter, uploads, safePoints, traces, log, notes, recorder } = tools;
    return {
      ...{ link, reporter, uploads, safePoints, traces, log, notes, recorder },
      surface: surface.now,
      halt: stops.halt,
      atWork: turns.atWork,
      step: current,
      lastFiles: () => surface.lastFiles(),
    };
  }

  private async ask(question: Question): Promise<Answer> {
    const { assignment, link, stops, wheel, surface, folder } = this;
    const { reporter, time } = this.tools;
    const stop = (reason: unknown) => stops.stop(reason);
    const isDriven = () => wheel.isHeld;
    const parts = { link, reporter, time, isDriven, stop, halt: stops.halt, leaving: stops.leaving };
    const leave =
      surface.now && folder !== undefined
        ? wheel.sit({ act: this.turns.actParts(surface.now, folder), step: stepOf(question) })
        : undefined;
    try {
      return await askPerson(question, assignment.askHoldMs, parts);
    } finally {
      await leave?.();
    }
  }

  private async cleanUp(): Promise<void> {
    await hit('worker.closing', this.assignment.run);
    this.stops.stop(over);
    this.tools.safePoints.take();
    this.tools.uploads.abandon('The attempt is over');
    this.tools.traces.abandon();
    await this.surface.close();
    await this.tools.egress.close();
    for (const untie of this.ties) untie();
    if (this.folder === undefined) return;
    await this.parts.folders.remove(this.folder).catch((thrown: unknown) => {
      this.tools.log.warn({ error: String(thrown) }, 'the folder of the attempt could not be removed');
    });
  }
}

const stepOf = ({ step, at, id }: Question) => ({ step, ...(at !== undefined && { at }), id });

function mustFit(output: Json): void {
  const bytes = Buffer.byteLength(JSON.stringify(output));
  if (bytes <= MAX_OUTPUT_BYTES) return;
  throw new PilothouseError('OUTPUT_INVALID', `The output has ${bytes} bytes; at most ${MAX_OUTPUT_BYTES} are kept`, {
    details: { bytes, limit: MAX_OUTPUT_BYTES },
  });
}
