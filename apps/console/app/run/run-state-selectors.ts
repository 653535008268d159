import type { RunStatus } from '@pilothouse/contract/run/run-status';
import type { ModelCall, RunArtifact, RunState, StepState } from './run-state.ts';

const isFinished = (status: RunStatus) => status === 'completed' || status === 'failed' || status === 'cancelled';

/** Status of a step as pages show it. Unreached steps of a finished run were skipped; a cancelled step did not fail. */
export function displayStatusOf({ status, error }: StepState, run: RunStatus): StepState['status'] | 'cancelled' {
  if (status === 'pending' && isFinished(run)) return 'skipped';
  if (status === 'failed' && error?.code === 'RUN_CANCELLED') return 'cancelled';
  return run === 'cancelled' && (status === 'interrupted' || status === 'running' || status === 'retrying')
    ? 'cancelled'
    : status;
}

/** The step whose error ended a run. */
export const failedStepOf = ({ steps, error }: Pick<RunState, 'steps' | 'error'>): StepState | undefined =>
  error === null ? undefined : steps.findLast((step) => step.status === 'failed' && isErrorOfRun(step, error));

/** True if the error of a step is the one that ended the run. */
const isErrorOfRun = (step: Pick<StepState, 'error'>, error: RunState['error']): boolean =>
  step.error !== null && error !== null && step.error.code === error.code && step.error.message === error.message;

/** True if a run waits for a person without a worker slot: its browser was closed. */
export const isClosed = ({ status, worker }: Pick<RunState, 'status' | 'worker'>): boolean =>
  status === 'awaiting_user' && worker === null;

/** Screenshots of a step: before it, with its target marked, and after it. */
export function imagesOf(
  { artifacts }: Pick<RunState, 'artifacts'>,
  step: number,
): { imageBefore?: RunArtifact; imageAfter?: RunArtifact } {
  const images = artifacts.filter((artifact) => artifact.step === step && artifact.kind === 'screenshot');
  return {
    imageBefore: images.findLast(({ moment }) => moment === 'before'),
    imageAfter: images.findLast(({ moment }) => moment !== 'before'),
  };
}

/** Totals of model calls. */
export const usageOf = (calls: readonly ModelCall[]) => ({
  calls: calls.length,
  tokens: calls.reduce((sum, { input, output }) => sum + input + output, 0),
  usd: calls.reduce((sum, { usd }) => sum + (usd ?? 0), 0),
});

/**
 * Position in a video at which a step started, in seconds. Counted from the end, because a video is stored when it ends.
 * @param seconds length of the video
 */
export const videoSecondsOf = (video: RunArtifact, seconds: number, startedAt: string): number =>
  Math.min(seconds, Math.max(0, seconds - (Date.parse(video.createdAt) - Date.parse(startedAt)) / 1000));
