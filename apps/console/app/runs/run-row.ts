import type { RunView } from '@pilothouse/contract';

/** Why a run failed, as a row shows it. */
export interface RowError {
  code: string;
  message: string;
  /** Title of the step that failed; null: it was none. */
  step: string | null;
}

/** What a row of the list shows of a run. */
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

/** One page of rows. */
export interface RunRows {
  rows: RunRow[];
  next: string | null;
}

/** Why a run failed in words: the step, then the reason. */
export const reasonOf = ({ step, message }: RowError): string => (step === null ? message : `${step}: ${message}`);

/** Name of a run: that of its workflow, or what stands for it. */
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
