import type { WorkflowDetail } from '@pilothouse/contract/api/workflows.routes';
import type { ArtifactView } from '@pilothouse/contract/run/artifact.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';

/** Id with a sequence number. */
export const id = (n: number) => `0197f3c2-1a2b-7c3d-8e4f-${String(n).padStart(12, '0')}`;

const createdAt = '2026-05-04T12:00:00.000Z';

export const aRun = (facts: Partial<RunView> = {}): RunView => ({
  id: id(1),
  status: 'queued',
  workflow: { id: null, name: 'order', version: null },
  goal: null,
  surface: 'browser',
  fleet: 'browser',
  inputs: {},
  output: null,
  error: null,
  priority: 0,
  budget: {},
  capture: { screenshots: 'only-on-failure' },
  egress: null,
  labels: {},
  model: null,
  epoch: 1,
  attempts: 1,
  stepCount: 2,
  currentStep: null,
  worker: null,
  usage: { calls: 0, tokens: 0, usd: 0 },
  steps: { total: 0, retries: 0, modelFree: 0 },
  unverifiedSteps: 0,
  question: null,
  origin: { kind: 'api', actor: null, idempotencyKey: null },
  parentRunId: null,
  createdAt,
  startedAt: null,
  finishedAt: null,
  ...facts,
});

export const anArtifact = (facts: Partial<ArtifactView> = {}): ArtifactView => ({
  id: id(5),
  run: id(1),
  step: 0,
  kind: 'screenshot',
  name: 'page.png',
  contentType: 'image/png',
  size: 1_400_000,
  url: 'http://127.0.0.1/page.png',
  createdAt,
  ...facts,
});

export const aWorkflow = (facts: Partial<WorkflowDetail> = {}): WorkflowDetail => ({
  id: id(3),
  name: 'harbour-order',
  title: 'Order',
  description: null,
  surface: 'browser',
  latestVersion: 1,
  publishedVersion: 1,
  source: null,
  archived: false,
  createdAt,
  updatedAt: createdAt,
  version: 1,
  published: true,
  versionCreatedAt: createdAt,
  definition: {
    name: 'harbour-order',
    title: 'Order',
    surface: 'browser',
    inputs: {},
    steps: [{ action: 'navigate', url: 'http://site' }],
  },
  ...facts,
});
