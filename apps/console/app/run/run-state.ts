import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import type { AgentThinking } from '@pilothouse/contract/events/agent.events';
import type { EventData } from '@pilothouse/contract/events/event-log.schema';
import type { Tier } from '@pilothouse/contract/model/tier-names';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { ArtifactKind, ScreenshotMoment } from '@pilothouse/contract/run/artifact.schema';
import type { Effect, Outcome } from '@pilothouse/contract/run/outcome';
import type { OpenQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { RunStatus, StepStatus } from '@pilothouse/contract/run/run-status';
import type { RunStepView, RunView } from '@pilothouse/contract/run/run.schema';
import { displayTitle } from '@pilothouse/core/workflow/display-title';

/** One turn of an agent within a step. */
export interface Turn {
  /** Path of the goal in the branches of the step; null: the goal is the step. */
  branch: string | null;
  turn: number;
  thought: string;
  page: string | null;
  /** Progress of the goal as the agent describes it; null: unchanged. */
  subGoals: string | null;
  /** `result`: null while the action runs. */
  actions: { n: number; title: string; ms: number | null; error: string | null; result: StepResult | null }[];
  /** `isPositive`: the note reports no problem. */
  notes: { note: string; isPositive: boolean }[];
  /** Time of the last event of the turn. */
  endedAt: string;
}

/** Outcome and effect of a step or an action. */
export interface StepResult {
  outcome: Outcome;
  effect: Effect;
  /** null: none is known. */
  effectReason: string | null;
}

/** A failed attempt of a step. */
export interface FailedAttempt {
  attempt: number;
  maxAttempts: number;
  code: string;
  message: string;
  durationMs: number;
}

/** Origin of one value of an answer. */
export interface AnswerSource {
  /** JSON Pointer into the answer. */
  pointer: string;
  origin: 'page' | 'computed' | 'missing' | 'unchecked';
}

export interface StepState {
  index: number;
  path: string;
  /** Position for people: the label of the step, else its path. */
  number: string;
  title: string;
  action: string;
  summary: string;
  status: StepStatus | 'interrupted';
  tier: Tier | null;
  startedAt: string | null;
  finishedAt: string | null;
  /** Number of attempts that have started. */
  attempts: number;
  /** Failed attempts that were followed by another attempt. */
  failedAttempts: FailedAttempt[];
  /** Start of the next attempt during a backoff. */
  nextAttemptAt: string | null;
  value: Json;
  error: ErrorView | null;
  /** Outcome and effect of the last attempt; null: it has not ended. */
  result: StepResult | null;
  /** Additional information, for example the reason for a skip. */
  note: string;
  /** How the target was located; null: no target, or not completed. */
  located: Omit<NonNullable<EventData<'step.completed'>['located']>, 'alternatives'> | null;
  /** Description of the element that healing used instead of the target. */
  healedElement: string | null;
  page: { url: string; title: string; status?: number | undefined } | null;
  turns: Turn[];
  /** Where the values of a goal's answer come from. */
  answerSources: AnswerSource[];
  /** Actions of people in control before the step resumed, one line each. */
  controlActions: string[];
}

export interface ModelCall {
  step: number | null;
  role: string;
  tier: Tier;
  model: string;
  durationMs: number;
  input: number;
  output: number;
  usd: number | null;
  calledAt: string;
}

export interface RunArtifact {
  id: string;
  step: number | null;
  kind: ArtifactKind;
  /** Screenshots only. */
  moment?: ScreenshotMoment | undefined;
  name: string;
  contentType: string;
  size: number;
  createdAt: string;
}

/** A page dialog or file chooser that is waiting for an answer. */
export type OpenDialog = Pick<EventData<'dialog.opened'>, 'dialog' | 'kind' | 'question' | 'text'> & {
  /** True if the file chooser accepts several files. */
  multiple: boolean;
};

/** Time in which a run waits for a person or, after it started, for a worker. */
export interface Wait {
  kind: 'awaiting_user' | 'queued';
  startedAt: string;
  /** null: the run is still waiting. */
  endedAt: string | null;
}

/** State of a run for its page. Plain data: the server creates it, and the page applies further events. */
export interface RunState {
  run: string;
  /** Inputs of the run; secrets are masked. Titles of steps show them. */
  inputs: RunView['inputs'];
  status: RunStatus;
  /** Sequence number of the last applied event. */
  seq: number;
  worker: string | null;
  epoch: number;
  startedAt: string | null;
  finishedAt: string | null;
  output: Json;
  error: ErrorView | null;
  question: OpenQuestion | null;
  /** Time when the browser of a waiting run was closed; null: open or unknown. */
  closedAt: string | null;
  /** User or key that requested the pending cancellation. */
  cancelling: string | null;
  /** User or key that cancelled the run; null: not cancelled or unknown. */
  cancelledBy: string | null;
  /** Last person who took control; null: none. */
  control: { operator: string; token: number; isActive: boolean } | null;
  /** Notice about a dismissed dialog or a failed file chooser while a person has control. */
  dialog: string | null;
  /** Dialogs that wait for the person in control, oldest first. */
  openDialogs: OpenDialog[];
  /** In order of time. */
  waits: Wait[];
  steps: StepState[];
  calls: ModelCall[];
  artifacts: RunArtifact[];
  /** Partial thoughts of agents whose models are still answering, one for each branch. */
  thinking: AgentThinking[];
}

/** Fields of a step that only events fill. */
const withoutEvents = () => ({
  summary: '',
  note: '',
  located: null,
  healedElement: null,
  page: null,
  turns: [],
  answerSources: [],
  controlActions: [],
  failedAttempts: [],
  nextAttemptAt: null,
});

/** State of a run before its first event. */
export const createRunState = (run: RunView, steps: readonly RunStepView[]): RunState => ({
  run: run.id,
  inputs: run.inputs,
  status: run.status,
  seq: 0,
  worker: run.worker,
  epoch: run.epoch,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt,
  output: run.output,
  error: run.error,
  question: run.question,
  closedAt: null,
  cancelling: null,
  cancelledBy: null,
  dialog: null,
  openDialogs: [],
  control: null,
  waits: [],
  steps: steps.map(({ outcome, effect, effectReason, ...step }) => ({
    ...step,
    result: outcome && effect && { outcome, effect, effectReason },
    number: step.label ?? step.path,
    title: displayTitle(step.title, run),
    ...withoutEvents(),
  })),
  calls: [],
  artifacts: [],
  thinking: [],
});

/** State of a step that control flow added while the run executes. */
export const createStepState = (index: number): StepState => ({
  index,
  path: String(index + 1),
  number: String(index + 1),
  title: `Step ${index + 1}`,
  action: '',
  status: 'pending',
  tier: null,
  startedAt: null,
  finishedAt: null,
  attempts: 0,
  value: null,
  error: null,
  result: null,
  ...withoutEvents(),
});
