import {
  isNonIdempotent,
  type Assignment,
  type Checkpoint,
  type ErrorView,
  type Json,
  type Step,
} from '@pilothouse/contract';
import {
  advance,
  startProgram,
  afterCaughtFailure,
  nextAttemptOf,
  nextIfSuccessful,
  replayRun,
  recordedOutcome,
  linearStepPath,
  isPureRead,
  recordsFromCheckpoints,
  renderStep,
  stepsNotToRepeat,
  toTemplateScope,
  templateScope,
  inferFieldTypes,
  type NextAttempt,
  type UncertainStep,
  type ReplayedRun,
  type StepOutcome,
  type StepPosition,
  type StepRecord,
  type InterpreterState,
  type TemplateScope,
} from '@pilothouse/core';

type Source = Pick<Assignment, 'definition' | 'inputs' | 'secrets' | 'run' | 'epoch' | 'checkpoints'>;

/**
 * The course of a run through its workflow: where it is, where it was, and what former attempts left for the steps that come. The worker
 * tells it outcomes; what follows from them is decided in core.
 */
export class RunProgress {
  /** What was read and events show masked, by number of the step. */
  readonly maskedValues: Map<number, Json>;
  private readonly checkpoints: readonly Checkpoint[];
  private readonly recorded: ReadonlyMap<number, StepRecord>;
  private readonly history: ReplayedRun;
  /** Steps that this attempt does not do, although it comes to them. */
  private skippedSteps: ReadonlySet<number> = new Set();
  private readonly visited: { place: StepPosition; status: Checkpoint['status']; opened: string | null }[] = [];
  private state: InterpreterState;

  /** @param hidden what former attempts read and events show masked */
  constructor(source: Source, hidden: ReadonlyMap<number, Json>) {
    const { definition, inputs, secrets, run, epoch, checkpoints } = source;
    const seen = templateScope(definition, { inputs, secrets, steps: {}, run: { id: run, epoch } });
    const start = startProgram(inferFieldTypes(definition), { id: run, epoch }, { inputs: seen.inputs, secrets });
    this.maskedValues = new Map(hidden);
    this.checkpoints = checkpoints;
    this.recorded = recordsFromCheckpoints(checkpoints, hidden);
    this.history = replayRun(start, this.recorded);
    this.state = start;
  }

  /** The step that comes; undefined when none does. */
  get nextPosition(): StepPosition | undefined {
    return this.state.next.kind === 'step' ? this.state.next.place : undefined;
  }

  /** Why the run ends without its output: an error that nothing caught. */
  get failure(): Error | undefined {
    return this.state.next.kind === 'failed' ? this.state.next.error : undefined;
  }

  /** The step before the one that comes. */
  get previousStep(): Step | undefined {
    return this.visited.at(-1)?.place.step;
  }

  /** Address that the steps so far opened last; null: none. A step that was skipped opened nothing. */
  get opened(): string | null {
    return this.visited.findLast(({ opened, status }) => opened !== null && status === 'completed')?.opened ?? null;
  }

  /** Steps that former attempts came to, and the one after them. */
  get previousPositions(): readonly StepPosition[] {
    return this.history.places;
  }

  /** What former attempts left behind of this course; a failure that the workflow caught is settled. */
  get previousCheckpoints(): Checkpoint[] {
    const { places, caught } = this.history;
    return this.checkpoints.flatMap((checkpoint) => {
      const { step, path: at } = checkpoint;
      const place = places[step];
      // Of a course that was left for another.
      if (place ? place.path !== (at ?? linearStepPath(step)) : at !== undefined) return [];
      return [caught.has(step) ? { ...checkpoint, status: 'skipped' as const } : checkpoint];
    });
  }

  /** What this attempt would leave behind if it ended here. */
  get checkpointsIfStopped(): { previousPositions: StepPosition[]; checkpoints: Checkpoint[] } {
    const places = this.visited.map(({ place }) => place);
    const checkpoints = this.visited.map(({ status }, step) => ({
      step,
      status,
      epoch: 1,
      value: null,
      verifiable: false,
    }));
    return { previousPositions: places, checkpoints };
  }

  /** Where the run is. */
  get programState(): InterpreterState {
    return this.state;
  }

  /** What templates see. */
  scope(state: InterpreterState = this.state): TemplateScope {
    return toTemplateScope(state.scope, state.run);
  }

  /** A step with its templates replaced; null when they name what is not known yet. */
  renderStep(step: Step, state: InterpreterState = this.state): Step | null {
    try {
      return renderStep(step, this.scope(state));
    } catch {
      return null;
    }
  }

  /** The step after the one that comes, with its templates replaced, as far as that is known. */
  renderNextStep(state: InterpreterState = this.state): Step | undefined {
    const next = nextIfSuccessful(state);
    return (next && this.renderStep(next.place.step, next.state)) ?? undefined;
  }

  /** The attempt of a step that comes, after those of former attempts at the run. */
  nextAttempt(place: StepPosition): NextAttempt {
    const isOfPlace = ({ step, path }: Checkpoint) =>
      step === place.number && (path ?? linearStepPath(step)) === place.path;
    return nextAttemptOf(place.step, this.checkpoints.find(isOfPlace));
  }

  /** Where the run was before a step that former attempts came to. */
  stateAt(number: number): InterpreterState | undefined {
    return this.history.states[number];
  }

  /**
   * Goes on at a step that a former attempt came to.
   * @param skipped the step that was in doubt, when it counts as done
   */
  resumeAt(from: number, doubt: Pick<UncertainStep, 'step'> | null, skipped: number | undefined): void {
    const settled = stepsNotToRepeat(this.previousPositions, this.previousCheckpoints, doubt);
    this.skippedSteps = skipped === undefined ? settled : settled.add(skipped);
    const { states } = this.history;
    this.state = states[Math.min(from, states.length - 1)] ?? this.state;
    this.visited.push(
      ...this.previousPositions.slice(0, this.state.number).map((place, number) => this.past(place, states[number])),
    );
    while (this.state.number < from && this.nextPosition)
      this.complete(recordedOutcome(this.recorded.get(this.state.number)));
  }

  /** The outcome of the step that comes, when it is not to be done again: it is settled, or was nothing but what it read. */
  knownOutcome(): StepOutcome | undefined {
    const record = this.record();
    if (!record || !this.nextPosition) return undefined;
    if (this.skippedSteps.has(this.nextPosition.number)) return recordedOutcome(record);
    return record.status === 'completed' && isPureRead(this.nextPosition.step) && !record.masked
      ? recordedOutcome(record)
      : undefined;
  }

  /** What a step that acted counts as having read: the same as in a former attempt, so that what follows is the same. */
  replayedValue(read: Json | undefined): Json | undefined {
    const record = this.record();
    return record?.status === 'completed' && !record.masked ? record.value : read;
  }

  /**
   * Whether the workflow goes on after this failure. Not while a former attempt did, later on this course, what must not be repeated:
   * another course might come to it once more.
   */
  isCaught(error: ErrorView): boolean {
    if (!afterCaughtFailure(this.state, { status: 'failed', error })) return false;
    const number = this.nextPosition?.number ?? 0;
    const once = (place: StepPosition | undefined) => place !== undefined && isNonIdempotent(place.step);
    return !this.previousCheckpoints.some(({ step }) => step > number && once(this.previousPositions[step]));
  }

  /** The step that comes came to its outcome. */
  complete(outcome: StepOutcome): void {
    const { nextPosition: place } = this;
    if (!place) return;
    const status = outcome.status === 'failed' ? 'skipped' : outcome.status;
    this.visited.push({ ...this.past(place, this.state), status });
    this.state = advance(this.state, outcome);
  }

  /** A step that the run came to, with the address that it opened. */
  private past(place: StepPosition, state: InterpreterState | undefined) {
    const step = place.step.action === 'navigate' ? this.renderStep(place.step, state) : null;
    return {
      place,
      status: 'completed' as const,
      opened: step?.action === 'navigate' && URL.canParse(step.url) ? step.url : null,
    };
  }

  private record(): StepRecord | undefined {
    const record = this.nextPosition && this.recorded.get(this.nextPosition.number);
    return record?.at === this.nextPosition?.path ? record : undefined;
  }
}
