import type { RunView } from '@pilothouse/contract';

/** Error of a run in a list. */
export interface RowError {
  code: string;
  message: string;
  /** Title of the failed step; null: no step failed. */
  step: string | null;
}

/** Fields of a run in a list. */
export interface RunRow {
  id: string;
  status: RunView['status'];
  name: string;
  version: number | null;
  fleet: string;
  labels: Record<string, string>;
  error: RowError | null;
  question: string | null;
  step: number | null;
  steps: number;
  tokens: number;
  usd: number;
  retryOf: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

export interface RunRows {
  rows: RunRow[];
  next: string | null;
}

/** Error text: the step, then the message. */
export const reasonOf = ({ step, message }: RowError): string => (step === null ? message : `${step}: ${message}`);

/** Name of a run: its workflow, or else its surface. */
export const nameOf = ({ workflow, surface }: Pick<RunView, 'workflow' | 'surface'>): string =>
  workflow?.name ?? `${surface} steps`;

export const rowOf = (run: RunView): RunRow => ({
  id: run.id,
  status: run.status,
  name: nameOf(run),
  version: run.workflow?.version ?? null,
  fleet: run.fleet,
  labels: run.labels,
  error: run.error && {
    code: run.error.code,
    message: run.error.message.slice(0, 500),
    step: run.error.step?.title.slice(0, 100) ?? null,
  },
  question: run.question?.reason.slice(0, 200) ?? null,
  step: run.currentStep,
  steps: run.stepCount,
  tokens: run.usage.tokens,
  usd: run.usage.usd,
  retryOf: run.retryOf,
  createdAt: run.createdAt,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt,
});
