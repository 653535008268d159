import { runViewSchema, type RunView } from '@pilothouse/contract/run/run.schema';

export const RUN = '0197f3c2-1a2b-7c3d-8e4f-000000000001';
const time = '2026-05-04T12:00:00.000Z';
/** A running run. */
export const aRun = (fields: object = {}): RunView =>
  runViewSchema.parse({
    id: RUN,
    status: 'running',
    workflow: null,
    surface: 'browser',
    fleet: 'browser',
    inputs: {},
    output: null,
    error: null,
    priority: 0,
    budget: {},
    capture: { screenshots: 'none' },
    egress: null,
    labels: {},
    epoch: 1,
    attempts: 1,
    stepCount: 3,
    currentStep: null,
    worker: null,
    question: null,
    origin: { kind: 'api', actor: null, idempotencyKey: null },
    parentRunId: null,
    createdAt: time,
    startedAt: null,
    finishedAt: null,
    ...fields,
  });
