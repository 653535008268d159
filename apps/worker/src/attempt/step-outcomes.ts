import { eventPageOf } from '@pilothouse/core/run/event-page';
import type { RunningStep } from './running-step.ts';
import type { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { MAX_MESSAGE_CHARS } from '@pilothouse/contract/events/event-log.schema';
import { stepRef } from '@pilothouse/core/interpreter/step-path';
import { resultOfError } from '@pilothouse/core/run/failed-result';
import { stepTitle } from '@pilothouse/core/workflow/step-titles';
import type { StepResult } from '../actions/run-action.ts';
import type { AttemptBase } from './attempt-base.ts';
import type { RunProgress } from './run-progress.ts';

/** Records the outcome of each step in events, progress and metrics. */
export class StepOutcomes {
  private readonly base: Pick<AttemptBase, 'masker' | 'events' | 'metrics' | 'clock'>;
  private readonly progress: RunProgress;

  constructor(base: StepOutcomes['base'], progress: RunProgress) {
    this.base = base;
    this.progress = progress;
  }

  recordCompletion({ position, step, startedAtMs }: RunningStep, { outcome, page, tier, healing }: StepResult): void {
    const { progress } = this;
    const { masker, events, metrics, clock } = this.base;
    const { located, evidence, effect, effectReason } = outcome;
    const value = progress.replayedValue(outcome.value);
    if (value !== undefined && JSON.stringify(masker.json(value)) !== JSON.stringify(value))
      progress.maskedValues.set(position.number, value);
    progress.complete({ status: 'completed', value: value ?? null });
    const ms = clock.monotonic() - startedAtMs;
    metrics.observe('worker_step_seconds', { action: step.action, tier, result: 'completed' }, ms);
    if (healing) {
      metrics.count('worker_heals_total', { method: healing.method });
      const warning = healing.locators.length > 0 ? '' : ', without a stable locator';
      const message = `${stepTitle(step)}: element not found, used ${healing.element} instead${warning}`;
      events.add('step.healed', message, { ...stepRef(position), id: step.id ?? null, ...healing }, 'warn');
    }
    events.add('step.completed', `${stepTitle(step)}: done`, {
      ...stepRef(position),
      id: step.id ?? null,
      tier,
      durationMs: Math.round(ms),
      located,
      ...(value !== undefined && { value }),
      ...(evidence && { evidence }),
      outcome: 'completed',
      effect,
      ...(effectReason !== undefined && { effectReason }),
      page: page && eventPageOf(page),
    });
  }

  /** Records a failed attempt that is retried. @param seconds until the next attempt */
  recordRetry(
    { position, step, startedAtMs, attempt, inputCounter }: RunningStep,
    error: PilothouseError,
    { maxAttempts, seconds }: { maxAttempts: number; seconds: number },
  ): void {
    const { events, metrics, clock } = this.base;
    const ms = Math.round(clock.monotonic() - startedAtMs);
    metrics.count('worker_step_retries_total', { code: error.code });
    const message = `${stepTitle(step)}: attempt ${attempt} of ${maxAttempts} failed, next in ${seconds} s: ${error.message}`;
    const data = {
      ...stepRef(position),
      id: step.id ?? null,
      attempt,
      maxAttempts,
      errorCode: error.code,
      error: error.view(),
      ...resultOfError(error, inputCounter.count > 0),
      durationMs: ms,
      nextAttemptAt: new Date(clock.now().getTime() + seconds * 1000).toISOString(),
    };
    events.add('step.retrying', message.slice(0, MAX_MESSAGE_CHARS), data, 'warn');
  }

  /** Records a failed step without changing the progress: the workflow decides whether the run continues. */
  recordFailure(
    { position, step, startedAtMs, inputCounter, tier = 'replay' }: RunningStep,
    error: PilothouseError,
    level: 'warn' | 'error',
  ): void {
    const { events, metrics, clock } = this.base;
    const ms = Math.round(clock.monotonic() - startedAtMs);
    metrics.observe('worker_step_seconds', { action: step.action, tier, result: 'failed' }, ms);
    metrics.count('worker_step_failures_total', { code: error.code });
    if (error.details?.['heal'] !== undefined) metrics.count('worker_heals_total', { method: 'none' });
    const data = {
      ...stepRef(position),
      id: step.id ?? null,
      error: error.view(),
      ...resultOfError(error, inputCounter.count > 0),
      durationMs: ms,
      ...(tier !== 'replay' && { tier }),
    };
    events.add('step.failed', `${stepTitle(step)}: ${error.message}`, data, level);
  }
}
