import type { ErrorView, PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import type { ControlBlockOf, WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { Subworkflow } from '@pilothouse/contract/workflow/workflow.schema';

/** The program: steps of a workflow, and the workflows it calls. */
export interface Program {
  readonly steps: readonly WorkflowNode[];
  readonly workflows?: Readonly<Record<string, Subworkflow>> | undefined;
}

/** A step and its position in a run. */
export interface StepPosition {
  /** Number of steps that the run executed before. Without control flow it is the index of the step. */
  readonly number: number;
  /**
   * Path: ids, or positions and iterations from 1. `orders[2]/1` is the first step in the second iteration of `orders`. A path of ids
   * is stable when other steps are added or removed.
   */
  readonly path: string;
  /** Number of the step for people, see step-number.ts. Missing: the path. */
  readonly label?: string;
  /** The step as in the workflow; its templates are not rendered. */
  readonly step: Step;
}

export type StepOutcome =
  | { readonly status: 'completed' | 'skipped'; readonly value: Json }
  | { readonly status: 'failed'; readonly error: Pick<ErrorView, 'code' | 'message'> };

/** Next action of the interpreter. */
export type NextStep =
  | { readonly kind: 'step'; readonly position: StepPosition }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly error: PilothouseError };

/** Variables of templates and expressions in the current workflow. */
export interface VariableScope {
  readonly inputs: Readonly<Record<string, Json>>;
  /** Secret inputs that have a value: name in this workflow → name in the run. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, Json>>;
  readonly steps: Readonly<Record<string, { readonly value: Json }>>;
  readonly runSecretNames: readonly string[];
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
  /** Path prefix of the list's steps. */
  readonly prefix: string;
  /** The `if` of the step at `index` is met. */
  readonly isConditionMet: boolean;
}

export type Loop = ControlBlockOf<'forEach' | 'paginate' | 'loop'>;

export type OwnerFrame =
  | { readonly kind: 'group'; readonly node: WorkflowNode; readonly path: string }
  | {
      readonly kind: 'loop';
      readonly node: Loop;
      readonly path: string;
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
      readonly path: string;
      readonly phase: 'steps' | 'catch' | 'finally';
      /** Thrown again after `finally`. */
      readonly pending: PilothouseError | null;
    }
  | {
      readonly kind: 'call';
      readonly node: ControlBlockOf<'call'>;
      readonly path: string;
      readonly workflow: Subworkflow;
      readonly outer: VariableScope;
    };
export type Frame = ListFrame | OwnerFrame;

/** The decision that depends on the outcome of the current step. */
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
