import type { Subworkflow } from '@pilothouse/contract/workflow/workflow.schema';

/** Results of a compilation so far. */
export interface CompileState {
  readonly notes: readonly string[];
  readonly problems: readonly string[];
  readonly workflows: Readonly<Record<string, Subworkflow>>;
  /** Called workflows whose goals are compiled. */
  readonly visitedWorkflows: ReadonlySet<string>;
  readonly goalCount: number;
  readonly compiledCount: number;
}

/** Collects results, and restores earlier ones if a block cannot be compiled. */
export class CompileProgress {
  state: CompileState;

  constructor(workflows: Readonly<Record<string, Subworkflow>> = {}) {
    this.state = { notes: [], problems: [], workflows, visitedWorkflows: new Set(), goalCount: 0, compiledCount: 0 };
  }

  update(changes: Partial<CompileState>): void {
    this.state = { ...this.state, ...changes };
  }

  note(...sentences: readonly string[]): void {
    this.update({ notes: [...this.state.notes, ...sentences] });
  }

  addProblems(...sentences: readonly string[]): void {
    this.update({ problems: [...this.state.problems, ...sentences] });
  }

  noteRemainingGoal(reason: string): void {
    this.update({ goalCount: this.state.goalCount + 1 });
    this.note(`A step stays a goal: ${reason}`);
  }
}
