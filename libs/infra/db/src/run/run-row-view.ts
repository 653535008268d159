import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { tiers } from '@pilothouse/contract/model/tier-names';
import type { Json, SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type { RunEgress } from '@pilothouse/contract/project/egress.schema';
import type { Budget } from '@pilothouse/contract/run/budget.schema';
import type { RunCapture } from '@pilothouse/contract/run/capture.schema';
import type { RunOrigin } from '@pilothouse/contract/run/run-origin.schema';
import { type RunQuestion, questionKey } from '@pilothouse/contract/run/run-question.schema';
import type { RunStatus, StepStatus } from '@pilothouse/contract/run/run-status';
import type { RunError, RunStepView, RunView } from '@pilothouse/contract/run/run.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import { linearStepPath, pathSegment } from '@pilothouse/core/interpreter/step-path';
import { stepTitle } from '@pilothouse/core/workflow/step-titles';
import type { Prisma, RunStep } from '../generated/client.ts';

/** Replacement for a secret. */
export const SECRET_MASK = '••••';

/** Columns of a run for clients. The definition, which may be large, and the sealed secrets are omitted. */
export const runColumns = {
  id: true,
  fleetId: true,
  workflowId: true,
  workflowVersion: true,
  workflowName: true,
  goal: true,
  surface: true,
  stepCount: true,
  inputs: true,
  secretNames: true,
  secretReferences: true,
  priority: true,
  budget: true,
  capture: true,
  egress: true,
  labels: true,
  model: true,
  status: true,
  epoch: true,
  acceptedAttempts: true,
  eventSeq: true,
  currentStep: true,
  usedCalls: true,
  usedTokens: true,
  usedUsd: true,
  completedSteps: true,
  modelSteps: true,
  stepRetries: true,
  unverifiedSteps: true,
  workerName: true,
  output: true,
  error: true,
  question: true,
  questionAskedAt: true,
  questionExpiresAt: true,
  origin: true,
  createdBy: true,
  parentRunId: true,
  createdAt: true,
  startedAt: true,
  finishedAt: true,
} as const satisfies Prisma.RunSelect;

/** Columns of a run in a list. Outputs, which may be megabytes, are omitted. */
export const listedRunColumns = { ...runColumns, output: false } as const satisfies Prisma.RunSelect;

export type RunRow = Prisma.RunGetPayload<{ select: typeof runColumns }>;

/** Secret inputs for clients: masked, or the name of the project secret. */
function secretInputsOf({ secretNames, secretReferences }: Pick<RunRow, 'secretNames' | 'secretReferences'>) {
  const references = (secretReferences ?? {}) as Record<string, string>;
  return Object.fromEntries(
    secretNames.map((name): [string, Json] => {
      const secret = Object.hasOwn(references, name) ? references[name] : undefined;
      return [name, secret === undefined ? SECRET_MASK : { secret }];
    }),
  );
}

/** Converts a row for clients. @param fleet name of the fleet */
export const toRunView = (row: RunRow, fleet: string): RunView => ({
  id: row.id,
  status: row.status as RunStatus,
  workflow: { id: row.workflowId, name: row.workflowName, version: row.workflowVersion },
  goal: row.goal,
  surface: row.surface as SurfaceKind,
  fleet,
  inputs: {
    ...(row.inputs as Record<string, Json>),
    ...secretInputsOf(row),
  },
  output: row.output as Json,
  error: row.error as RunError | null,
  priority: row.priority,
  budget: row.budget as Budget,
  capture: row.capture as RunCapture,
  egress: row.egress as RunEgress | null,
  labels: row.labels as Record<string, string>,
  model: row.model,
  epoch: row.epoch,
  attempts: row.acceptedAttempts,
  stepCount: row.stepCount,
  currentStep: row.currentStep,
  worker: row.workerName,
  usage: { calls: row.usedCalls, tokens: Number(row.usedTokens), usd: row.usedUsd },
  steps: { total: row.completedSteps, modelFree: row.completedSteps - row.modelSteps, retries: row.stepRetries },
  unverifiedSteps: row.unverifiedSteps,
  question:
    row.question && row.questionAskedAt && row.questionExpiresAt
      ? {
          ...(row.question as unknown as RunQuestion),
          key: questionKey(row.question as unknown as RunQuestion, row.epoch),
          askedAt: row.questionAskedAt.toISOString(),
          expiresAt: row.questionExpiresAt.toISOString(),
        }
      : null,
  origin: { ...(row.origin as object), actor: row.createdBy } as RunOrigin,
  parentRunId: row.parentRunId,
  createdAt: row.createdAt.toISOString(),
  startedAt: row.startedAt?.toISOString() ?? null,
  finishedAt: row.finishedAt?.toISOString() ?? null,
});

/** A step of the definition and its checkpoint, if it was reached. */
export const toRunStepView = (step: Step | undefined, index: number, row: RunStep | undefined): RunStepView => ({
  index,
  path: row ? (row.path ?? linearStepPath(index)) : pathSegment(step?.id, index),
  id: step?.id ?? null,
  title: step ? stepTitle(step) : 'Unknown step',
  action: step?.action ?? 'unknown',
  status: (row?.status ?? 'pending') as StepStatus,
  epoch: row?.epoch ?? null,
  attempts: row?.attempts ?? 0,
  tier: tiers[row?.tier ?? -1] ?? null,
  value: (row?.value ?? null) as Json,
  error: (row?.error ?? null) as ErrorView | null,
  outcome: (row?.outcome ?? null) as RunStepView['outcome'],
  effect: (row?.effect ?? null) as RunStepView['effect'],
  effectReason: row?.effectReason ?? null,
  startedAt: row?.startedAt?.toISOString() ?? null,
  finishedAt: row?.finishedAt?.toISOString() ?? null,
});
