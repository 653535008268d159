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

/** Tracks the position of a run in its workflow, with the state of earlier attempts. The worker reports outcomes; core decides the next step. */
export class RunProgress {
  /** Values that events show masked, by step number. */
  readonly maskedValues: Map<number, Json>;
  private readonly checkpoints: readonly Checkpoint[];
  private readonly recorded: ReadonlyMap<number, StepRecord>;
  private readonly history: ReplayedRun;
  /** Numbers of steps that this attempt reaches but does not execute. */
  private skippedSteps: ReadonlySet<number> = new Set();
  private readonly visited: { place: StepPosition; status: Checkpoint['status']; opened: string | null }[] = [];
  private state: InterpreterState;

  /** @param hidden values of earlier attempts that events show masked */
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

  /** The next step; undefined: the workflow is complete. */
  get nextPosition(): StepPosition | undefined {
    return this.state.next.kind === 'step' ? this.state.next.place : undefined;
  }

  /** Error that ends the run without output: nothing caught it. */
  get failure(): Error | undefined {
    return this.state.next.kind === 'failed' ? this.state.next.error : undefined;
  }

  /** The step before the next one. */
  get previousStep(): Step | undefined {
    return this.visited.at(-1)?.place.step;
  }

  /** Address that the steps so far opened last; null: none. A skipped step opens nothing. */
  get opened(): string | null {
    return this.visited.findLast(({ opened, status }) => opened !== null && status === 'completed')?.opened ?? null;
  }

  /** Steps that earlier attempts reached, and the one after them. */
  get previousPositions(): readonly StepPosition[] {
    return this.history.places;
  }

  /** Checkpoints of earlier attempts on the current path. A failure that the workflow caught counts as settled. */
  get previousCheckpoints(): Checkpoint[] {
    const { places, caught } = this.history;
    return this.checkpoints.flatMap((checkpoint) => {
      const { step, path: at } = checkpoint;
      const place = places[step];
      // Belongs to a path that the workflow has left.
      if (place ? place.path !== (at ?? linearStepPath(step)) : at !== undefined) return [];
      return [caught.has(step) ? { ...checkpoint, status: 'skipped' as const } : checkpoint];
    });
  }

  /** Checkpoints for the next attempt if this one ended now. */
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

  /** Position of the run. */
  get programState(): InterpreterState {
    return this.state;
  }

  /** Template scope. */
  scope(state: InterpreterState = this.state): TemplateScope {
    return toTemplateScope(state.scope, state.run);
  }

  /** Renders the templates of a step; null: they name an unknown value. */
  renderStep(step: Step, state: InterpreterState = this.state): Step | null {
    try {
      return renderStep(step, this.scope(state));
    } catch {
      return null;
    }
  }

  /** The step after the next one, rendered as far as its values are known. */
  renderNextStep(state: InterpreterState = this.state): Step | undefined {
    const next = nextIfSuccessful(state);
    return (next && this.renderStep(next.place.step, next.state)) ?? undefined;
  }

  /** Attempt number of a step, counted after those of earlier attempts of the run. */
  nextAttempt(place: StepPosition): NextAttempt {
    const isOfPlace = ({ step, path }: Checkpoint) =>
      step === place.number && (path ?? linearStepPath(step)) === place.path;
    return nextAttemptOf(place.step, this.checkpoints.find(isOfPlace));
  }

  /** Position of the run before a step that an earlier attempt reached. */
  stateAt(number: number): InterpreterState | undefined {
    return this.history.states[number];
  }

  /**
   * Continues at a step that an earlier attempt reached.
   * @param skipped the step in unknown state, if it counts as completed
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

  /** Outcome of the next step if it must not run again: it is settled, or it only read a value. */
  knownOutcome(): StepOutcome | undefined {
    const record = this.record();
    if (!record || !this.nextPosition) return undefined;
    if (this.skippedSteps.has(this.nextPosition.number)) return recordedOutcome(record);
    return record.status === 'completed' && isPureRead(this.nextPosition.step) && !record.masked
      ? recordedOutcome(record)
      : undefined;
  }

  /** Value of a step that acted. It equals the value of an earlier attempt, so that the rest of the workflow stays the same. */
  replayedValue(read: Json | undefined): Json | undefined {
    const record = this.record();
    return record?.status === 'completed' && !record.masked ? record.value : read;
  }

  /**
   * True if the workflow continues after this failure. False while an earlier attempt executed a non-repeatable step later on this path:
   * another path might reach it again.
   */
  isCaught(error: ErrorView): boolean {
    if (!afterCaughtFailure(this.state, { status: 'failed', error })) return false;
    const number = this.nextPosition?.number ?? 0;
    const once = (place: StepPosition | undefined) => place !== undefined && isNonIdempotent(place.step);
    return !this.previousCheckpoints.some(({ step }) => step > number && once(this.previousPositions[step]));
  }

  /** Records the outcome of the next step. */
  complete(outcome: StepOutcome): void {
    const { nextPosition: place } = this;
    if (!place) return;
    const status = outcome.status === 'failed' ? 'skipped' : outcome.status;
    this.visited.push({ ...this.past(place, this.state), status });
    this.state = advance(this.state, outcome);
  }

  /** Records a step that the run reached, with the address that it opened. */
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
