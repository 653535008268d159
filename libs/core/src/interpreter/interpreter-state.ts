import type {
  ControlBlockOf,
  Subworkflow,
  ErrorView,
  Json,
  WorkflowNode,
  PilothouseError,
  Step,
} from '@pilothouse/contract';

/** The program: steps of a workflow, and the workflows it calls. */
export interface Program {
  readonly steps: readonly WorkflowNode[];
  readonly workflows?: Readonly<Record<string, Subworkflow>> | undefined;
}

/** A step at its place in a run. */
export interface StepPosition {
  /** Number of steps that the run executed before. Without control flow it is the index of the step. */
  readonly number: number;
  /**
   * Its path: ids, or positions and rounds from 1, e.g. `orders[2]/1`, the first step in the second round of `orders`. With an id in it, it
   * holds while steps around it come and go.
   */
  readonly path: string;
  /** As it is written: its templates are not replaced. */
  readonly step: Step;
}

/** Outcome of a step. */
export type StepOutcome =
  | { readonly status: 'completed' | 'skipped'; readonly value: Json }
  | { readonly status: 'failed'; readonly error: Pick<ErrorView, 'code' | 'message'> };

/** Next action of the interpreter. */
export type NextStep =
  | { readonly kind: 'step'; readonly place: StepPosition }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly error: PilothouseError };

/** Variables that templates and expressions of the current workflow see. */
export interface VariableScope {
  readonly inputs: Readonly<Record<string, Json>>;
  /** Secret inputs that have a value: by their name here, the name by which the run has them. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, Json>>;
  readonly steps: Readonly<Record<string, { readonly value: Json }>>;
  /** All secrets of the run, by the names by which it has them. */
  readonly held: readonly string[];
}

/** Inputs of a run, and the names of its secrets. */
export interface ProgramInputs {
  readonly inputs: Readonly<Record<string, Json>>;
  readonly secrets: readonly string[];
}

/** A list of steps in progress. The frame of its block is below it. */
export interface ListFrame {
  readonly kind: 'list';
  readonly nodes: readonly WorkflowNode[];
  readonly index: number;
  /** Path prefix of the steps of the list. */
  readonly prefix: string;
  /** The `if` of the step at `index` was found to be so. */
  readonly isConditionMet: boolean;
}

export type Loop = ControlBlockOf<'forEach' | 'paginate' | 'loop'>;

export type OwnerFrame =
  | { readonly kind: 'group'; readonly node: WorkflowNode; readonly at: string }
  | {
      readonly kind: 'loop';
      readonly node: Loop;
      readonly at: string;
      /** Of `forEach`. */
      readonly items: readonly Json[];
      readonly iteration: number;
      readonly collected: readonly Json[];
      /** Size of the collected values in characters of JSON. */
      readonly size: number;
    }
  | {
      readonly kind: 'try';
      readonly node: ControlBlockOf<'try'>;
      readonly at: string;
      readonly phase: 'steps' | 'catch' | 'finally';
      /** Thrown again after `finally`. */
      readonly pending: PilothouseError | null;
    }
  | {
      readonly kind: 'call';
      readonly node: ControlBlockOf<'call'>;
      readonly at: string;
      readonly workflow: Subworkflow;
      readonly outer: VariableScope;
    };
export type Frame = ListFrame | OwnerFrame;

/** What the outcome of the current step decides. */
export type AwaitedDecision = 'step' | 'if' | 'until' | 'more' | 'next';

/** Immutable state of the interpreter. */
export interface InterpreterState {
  readonly program: Program;
  readonly run: { readonly id: string; readonly epoch: number };
  /** The outermost first. */
  readonly frames: readonly Frame[];
  readonly scope: VariableScope;
  /** Number of executed steps. */
  readonly number: number;
  readonly awaited: AwaitedDecision;
  readonly next: NextStep;
}
