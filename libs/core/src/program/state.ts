import type { BlockOf, CalledWorkflow, ErrorView, Json, Node, PilothouseError, Step } from '@pilothouse/contract';

/** What is carried out: the steps of a workflow and the workflows it calls. */
export interface Program {
  readonly steps: readonly Node[];
  readonly workflows?: Readonly<Record<string, CalledWorkflow>> | undefined;
}

/** A step at its place in a run. */
export interface Place {
  /** How many steps the run came to before it. In a list without control flow the index of the step. */
  readonly number: number;
  /** Where it stands, for people: steps and rounds count from 1, e.g. `3[2]/1`, the first step in the second round of step 3. */
  readonly at: string;
  /** As it is written: its templates are not replaced. */
  readonly step: Step;
}

/** What a step came to. */
export type Outcome =
  | { readonly status: 'acted' | 'skipped'; readonly value: Json }
  | { readonly status: 'failed'; readonly error: Pick<ErrorView, 'code' | 'message'> };

/** What comes next. */
export type Next =
  | { readonly kind: 'step'; readonly place: Place }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly error: PilothouseError };

/** What templates and expressions see in the workflow that is at work. */
export interface Scope {
  readonly inputs: Readonly<Record<string, Json>>;
  /** Secret inputs that have a value: by their name here, the name by which the run has them. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, Json>>;
  readonly steps: Readonly<Record<string, { readonly value: Json }>>;
  /** All secrets of the run, by the names by which it has them. */
  readonly held: readonly string[];
}

/** What a run begins with: its inputs, and the names of its secrets. */
export interface Given {
  readonly inputs: Readonly<Record<string, Json>>;
  readonly secrets: readonly string[];
}

/** A list of steps at work; above each list stands what it belongs to, but for the first. */
export interface ListFrame {
  readonly kind: 'list';
  readonly nodes: readonly Node[];
  readonly index: number;
  /** What the place of each step begins with. */
  readonly prefix: string;
  /** The `when` of the step at `index` was found to be so. */
  readonly passed: boolean;
}

export type Loop = BlockOf<'forEach' | 'forEachPage' | 'repeat'>;

export type OwnerFrame =
  | { readonly kind: 'group'; readonly node: Node; readonly at: string }
  | {
      readonly kind: 'loop';
      readonly node: Loop;
      readonly at: string;
      /** Of `forEach`. */
      readonly items: readonly Json[];
      readonly round: number;
      readonly collected: readonly Json[];
      /** Characters of what was collected, as JSON. */
      readonly size: number;
    }
  | {
      readonly kind: 'try';
      readonly node: BlockOf<'try'>;
      readonly at: string;
      readonly phase: 'steps' | 'catch' | 'finally';
      /** Thrown again after `finally`. */
      readonly pending: PilothouseError | null;
    }
  | {
      readonly kind: 'call';
      readonly node: BlockOf<'call'>;
      readonly at: string;
      readonly called: CalledWorkflow;
      readonly outer: Scope;
    };
export type Frame = ListFrame | OwnerFrame;

/** What the outcome of the step at work decides. */
export type Asked = 'step' | 'when' | 'until' | 'more' | 'next';

/** Where a run is: a value that never changes. */
export interface State {
  readonly program: Program;
  readonly run: { readonly id: string; readonly epoch: number };
  /** The outermost first. */
  readonly frames: readonly Frame[];
  readonly scope: Scope;
  /** Steps that the run came to. */
  readonly number: number;
  readonly asked: Asked;
  readonly next: Next;
}
