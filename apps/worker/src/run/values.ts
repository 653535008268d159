import type { Assignment, Json, Step } from '@pilothouse/contract';
import { renderStep, type TemplateScope } from '@pilothouse/core';

/** What templates see: the inputs, and what the steps have read so far. */
export class Values {
  /** By id of the step. */
  readonly steps: Record<string, { value: Json }> = {};
  private readonly assignment: Assignment;

  constructor(assignment: Assignment) {
    this.assignment = assignment;
  }

  /** Keeps what a step read; a step without an id is not named by any template. */
  keep(step: Step | undefined, value: Json): void {
    if (step?.id !== undefined) this.steps[step.id] = { value };
  }

  scope(): TemplateScope {
    const { inputs, secrets, definition, run, epoch } = this.assignment;
    const names = Object.keys(definition.inputs);
    const missing = Object.fromEntries(names.map((name) => [name, null]));
    const plain = Object.entries({ ...missing, ...inputs }).filter(([name]) => !secrets.includes(name));
    return { inputs: Object.fromEntries(plain), secrets: new Set(secrets), steps: this.steps, run: { id: run, epoch } };
  }

  /** A step with its templates replaced; null when they name what is not known yet. */
  rendered(step: Step): Step | null {
    try {
      return renderStep(step, this.scope());
    } catch {
      return null;
    }
  }
}
