import type { Assignment, Checkpoint } from '@pilothouse/contract/worker/to-worker.messages';
import { isBlock } from '@pilothouse/contract/workflow/control-flow.schema';
import { workflowDefinitionSchema, type WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { randomUUID } from 'node:crypto';

/** Builds an assignment with default steps and the given overrides. Checkpoints of steps with an id may omit their path. */
export function buildAssignment(
  source: Partial<WorkflowDefinitionInput> & Pick<WorkflowDefinitionInput, 'steps'>,
  overrides: Partial<Assignment> = {},
): Assignment {
  const definition = workflowDefinitionSchema.parse({ name: 'spec', ...source });
  const { steps } = definition;
  const withPath = (checkpoint: Checkpoint): Checkpoint => {
    const id = steps.some(isBlock) ? undefined : steps[checkpoint.step]?.id;
    return { ...checkpoint, ...(checkpoint.path === undefined && id !== undefined && { path: id }) };
  };
  return {
    run: randomUUID(),
    epoch: 1,
    definition,
    inputs: {},
    secrets: [],
    budget: { usedSteps: 0, usedSeconds: 0 },
    capture: { screenshots: 'none' },
    egress: { project: null, run: null },
    politeness: { project: null },
    recordTurns: 'off',
    safePoint: null,
    answer: null,
    agentEvents: [],
    agentNotes: [],
    questionHoldMs: 60_000,
    firstIntentWritten: false,
    ...overrides,
    checkpoints: (overrides.checkpoints ?? []).map(withPath),
  };
}
