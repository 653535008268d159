import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Assignment, Checkpoint } from '@pilothouse/contract/worker/to-worker.messages';
import { isNonIdempotent, type Step } from '@pilothouse/contract/workflow/step.schema';
import { advance, startProgram } from '@pilothouse/core/interpreter/interpreter';
import type { StepOutcome, StepPosition, InterpreterState } from '@pilothouse/core/interpreter/interpreter-state';
import {
  afterCaughtFailure,
  nextIfSuccessful,
  replayRun,
  recordedOutcome,
  recordsFromCheckpoints,
  type ReplayedRun,
  type StepRecord,
} from '@pilothouse/core/interpreter/replay-history';
import { linearStepPath } from '@pilothouse/core/interpreter/step-path';
import { toTemplateScope } from '@pilothouse/core/interpreter/variable-scope';
import { stepsNotToRepeat, type UncertainStep } from '@pilothouse/core/run/run-recovery';
import { nextAttemptOf, type NextAttempt } from '@pilothouse/core/workflow/step-retry';
import { renderStep, templateScope, type TemplateScope } from '@pilothouse/core/workflow/secret-placeholders';
import { isPureRead } from '@pilothouse/core/workflow/step-effects';
import { inferFieldTypes } from '@pilothouse/core/workflow/step-types';

type Source = Pick<Assignment, 'definition' | 'inputs' | 'secrets' | 'run' | 'epoch' | 'checkpoints'>;

/** A step that the run reached. */
interface VisitedStep {
  readonly position: StepPosition;
  readonly status: Checkpoint['status'];
  readonly openedUrl: string | null;
  readonly openedApps: readonly string[];
}

/** Tracks the position of a run in its workflow, with the state of earlier attempts. The worker reports outcomes; core decides the next step. */
export class RunProgress {
  /** Values that events show masked, by step number. */
  readonly maskedValues: Map<number, Json>;
  private readonly checkpoints: readonly Checkpoint[];
  private readonly recorded: ReadonlyMap<number, StepRecord>;
  private readonly history: ReplayedRun;
  /** Numbers of steps that this attempt reaches but does not execute. */
  private skippedSteps: ReadonlySet<number> = new Set();
  private readonly visited: VisitedStep[] = [];
  private state: InterpreterState;

  /** @param previousMaskedValues values of earlier attempts that events show masked */
  constructor(source: Source, previousMaskedValues: ReadonlyMap<number, Json>) {
    const { definition, inputs, secrets, run, epoch, checkpoints } = source;
    const initialScope = templateScope(definition, { inputs, secrets, steps: {}, run: { id: run, epoch } });
    const start = startProgram(
      inferFieldTypes(definition),
      { id: run, epoch },
      { inputs: initialScope.inputs, secrets },
    );
    this.maskedValues = new Map(previousMaskedValues);
    this.checkpoints = checkpoints;
    this.recorded = recordsFromCheckpoints(checkpoints, previousMaskedValues);
    this.history = replayRun(start, this.recorded);
    this.state = start;
  }

  /** The next step; undefined: the workflow is complete. */
  get nextPosition(): StepPosition | undefined {
    return this.state.next.kind === 'step' ? this.state.next.position : undefined;
  }

  /** Error that ends the run without output: nothing caught it. */
  get failure(): Error | undefined {
    return this.state.next.kind === 'failed' ? this.state.next.error : undefined;
  }

  /** Position of the last step that ended. */
  get lastPosition(): StepPosition | undefined {
    return this.visited.at(-1)?.position;
  }

  /** The step before the next one. */
  get previousStep(): Step | undefined {
    return this.lastPosition?.step;
  }

  /** Last address that a completed step opened; null: none. */
  get lastOpenedUrl(): string | null {
    return (
      this.visited.findLast(({ openedUrl, status }) => openedUrl !== null && status === 'completed')?.openedUrl ?? null
    );
  }

  /** Applications that completed steps opened, the last one first. Windows can report a different id than the step; both count. */
  get openedApps(): readonly string[] {
    const completed = this.visited.filter(({ status }) => status === 'completed').toReversed();
    return [...new Set(completed.flatMap(({ openedApps }) => openedApps))];
  }

  /** Steps that earlier attempts reached, and the one after them. */
  get previousPositions(): readonly StepPosition[] {
    return this.history.positions;
  }

  /** Checkpoints of earlier attempts on the current path. A failure that the workflow caught counts as settled. */
  get previousCheckpoints(): Checkpoint[] {
    const { positions, caughtFailures } = this.history;
    return this.checkpoints.flatMap((checkpoint) => {
      const { step, path } = checkpoint;
      const position = positions[step];
      // Belongs to a path that the workflow has left.
      if (position ? position.path !== (path ?? linearStepPath(step)) : path !== undefined) return [];
      return [caughtFailures.has(step) ? { ...checkpoint, status: 'skipped' as const } : checkpoint];
    });
  }

  /** Checkpoints for the next attempt if this one ended now. */
  get checkpointsIfStopped(): { previousPositions: StepPosition[]; checkpoints: Checkpoint[] } {
    const positions = this.visited.map(({ position: place }) => place);
    const checkpoints = this.visited.map(({ status }, step) => ({
      step,
      status,
      epoch: 1,
      value: null,
      verifiable: false,
    }));
    return { previousPositions: positions, checkpoints };
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
    return (next && this.renderStep(next.position.step, next.state)) ?? undefined;
  }

  /** Attempt number of a step, counted after those of earlier attempts of the run. */
  nextAttempt(position: StepPosition): NextAttempt {
    const isAtPosition = ({ step, path }: Checkpoint) =>
      step === position.number && (path ?? linearStepPath(step)) === position.path;
    return nextAttemptOf(position.step, this.checkpoints.find(isAtPosition));
  }

  /** Position of the run before a step that an earlier attempt reached. */
  stateAt(number: number): InterpreterState | undefined {
    return this.history.states[number];
  }

  /**
   * Continues at a step that an earlier attempt reached.
   * @param skipped the step in unknown state, if it counts as completed
   */
  resumeAt(firstStep: number, uncertainStep: Pick<UncertainStep, 'step'> | null, skipped: number | undefined): void {
    const settledSteps = stepsNotToRepeat(this.previousPositions, this.previousCheckpoints, uncertainStep);
    this.skippedSteps = skipped === undefined ? settledSteps : settledSteps.add(skipped);
    const { states } = this.history;
    this.state = states[Math.min(firstStep, states.length - 1)] ?? this.state;
    this.visited.push(
      ...this.previousPositions
        .slice(0, this.state.number)
        .map((position, number) =>
          this.visitedStep(position, states[number], this.recorded.get(number)?.value ?? null),
        ),
    );
    while (this.state.number < firstStep && this.nextPosition)
      this.complete(recordedOutcome(this.recorded.get(this.state.number)));
  }

  /** Outcome of the next step if it must not run again: it is settled, or it only read a value. */
  knownOutcome(): StepOutcome | undefined {
    const record = this.currentRecord();
    if (!record || !this.nextPosition) return undefined;
    if (this.skippedSteps.has(this.nextPosition.number)) return recordedOutcome(record);
    return record.status === 'completed' && isPureRead(this.nextPosition.step) && !record.isMasked
      ? recordedOutcome(record)
      : undefined;
  }

  /** Value of a step that acted. It equals the value of an earlier attempt, so that the rest of the workflow stays the same. */
  replayedValue(value: Json | undefined): Json | undefined {
    const record = this.currentRecord();
    return record?.status === 'completed' && !record.isMasked ? record.value : value;
  }

  /**
   * True if the workflow continues after this failure. False while an earlier attempt executed a non-repeatable step later on this path:
   * another path might reach it again.
   */
  isCaught(error: ErrorView): boolean {
    if (!afterCaughtFailure(this.state, { status: 'failed', error })) return false;
    const number = this.nextPosition?.number ?? 0;
    const isNonRepeatable = (position: StepPosition | undefined) =>
      position !== undefined && isNonIdempotent(position.step);
    return !this.previousCheckpoints.some(({ step }) => step > number && isNonRepeatable(this.previousPositions[step]));
  }

  /** Records the outcome of the next step. */
  complete(outcome: StepOutcome): void {
    const { nextPosition: position } = this;
    if (!position) return;
    const status = outcome.status === 'failed' ? 'skipped' : outcome.status;
    const value = outcome.status === 'completed' ? outcome.value : null;
    this.visited.push({ ...this.visitedStep(position, this.state, value), status });
    this.state = advance(this.state, outcome);
  }

  /** Records a step that the run reached, with the pages that it opened. @param value its value; null: unknown */
  private visitedStep(position: StepPosition, state: InterpreterState | undefined, value: Json): VisitedStep {
    const step = position.step.action === 'navigate' ? this.renderStep(position.step, state) : position.step;
    return {
      position,
      status: 'completed',
      openedUrl: step?.action === 'navigate' && URL.canParse(step.url) ? step.url : null,
      openedApps: step?.action === 'openApp' ? [step.app, ...windowAppOf(value)] : [],
    };
  }

  private currentRecord(): StepRecord | undefined {
    const record = this.nextPosition && this.recorded.get(this.nextPosition.number);
    return record?.path === this.nextPosition?.path ? record : undefined;
  }
}

/** Application of the window that an `openApp` step reports in its value. */
function windowAppOf(value: Json): string[] {
  const app = typeof value === 'object' && value !== null && !Array.isArray(value) ? value.app : undefined;
  return typeof app === 'string' && app !== '' ? [app] : [];
}
