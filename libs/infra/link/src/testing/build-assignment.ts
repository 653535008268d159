import { workflowDefinitionSchema, type Assignment, type WorkflowDefinitionInput } from '@pilothouse/contract';
import { randomUUID } from 'node:crypto';

/** An assignment for specs: some steps, and what the spec says otherwise. */
export function buildAssignment(
  source: Partial<WorkflowDefinitionInput> & Pick<WorkflowDefinitionInput, 'steps'>,
  more: Partial<Assignment> = {},
): Assignment {
  return {
    run: randomUUID(),
    epoch: 1,
    definition: workflowDefinitionSchema.parse({ name: 'spec', ...source }),
    inputs: {},
    secrets: [],
    budget: { usedSteps: 0, usedSeconds: 0 },
    capture: { screenshots: 'none' },
    egress: { project: null, run: null },
    politeness: { project: null },
    checkpoints: [],
    safePoint: null,
    answer: null,
    agentEvents: [],
    questionHoldMs: 60_000,
    firstIntentWritten: false,
    ...more,
  };
}
