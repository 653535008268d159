import type { RunView } from '@pilothouse/contract/run/run.schema';

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
  /** Completed steps whose effect was not seen. */
  unverified: number;
  tokens: number;
  usd: number;
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

/** Maximum length of a run's title, in characters. */
const MAX_TITLE_CHARS = 120;

/** Title of a run: its goal in one line, or else the name of its workflow. */
export function runTitle({ goal, workflow, surface }: Pick<RunView, 'goal' | 'workflow' | 'surface'>): string {
  if (goal === null) return workflow?.name ?? `${surface} steps`;
  const line = goal.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_TITLE_CHARS ? line : `${line.slice(0, MAX_TITLE_CHARS - 1).toWellFormed()}…`;
}

export const rowOf = (run: RunView): RunRow => ({
  id: run.id,
  status: run.status,
  name: runTitle(run),
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
  unverified: run.unverifiedSteps,
  tokens: run.usage.tokens,
  usd: run.usage.usd,
  createdAt: run.createdAt,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt,
});

/** URL of the comparison of two runs. */
export const compareHref = (left: string, right: string) =>
  `/runs/compare?${new URLSearchParams({ left, right }).toString()}`;
