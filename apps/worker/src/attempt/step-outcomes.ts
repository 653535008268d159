import { MAX_MESSAGE, type PilothouseError, type Step, type Tier } from '@pilothouse/contract';
import { stepRef, stepTitle, type Clock, type Masker, type StepPosition } from '@pilothouse/core';
import type { MetricsBuffer } from '../telemetry/metrics-buffer.ts';
import type { RunProgress } from './run-progress.ts';
import type { EventBuffer } from './event-buffer.ts';
import type { StepResult } from '../steps/step-executors.ts';

/** The step at work, until its outcome is noted. */
export interface RunningStep {
  readonly position: StepPosition;
  /** With its templates replaced, once they are. */
  step: Step;
  /** Monotonic milliseconds; what it waited for a site does not count. */
  startedAtMs: number;
  /** The highest tier that its agent came to so far; left out: no model was asked. */
  tier?: Tier;
  /** Which attempt of the step it is, from 1. */
  attempt: number;
  /** Whether an attempt of the step failed before it, under this worker. */
  isRetried: boolean;
}

export interface NotesParts {
  readonly progress: RunProgress;
  readonly masker: Masker;
  readonly events: EventBuffer;
  readonly metrics: Pick<MetricsBuffer, 'count' | 'observe'>;
  readonly clock: Clock;
}

/** Notes what became of steps: in the events of the run, in its course, and in what is measured. */
export class StepOutcomes {
  private readonly parts: NotesParts;

  constructor(parts: NotesParts) {
    this.parts = parts;
  }

  completed({ position, step, startedAtMs }: RunningStep, { outcome, page, tier, healed }: StepResult): void {
    const { progress, masker, events, metrics, clock } = this.parts;
    const { located, evidence } = outcome;
    const value = progress.replayedValue(outcome.value);
    if (value !== undefined && JSON.stringify(masker.json(value)) !== JSON.stringify(value))
      progress.maskedValues.set(position.number, value);
    progress.complete({ status: 'completed', value: value ?? null });
    const ms = clock.monotonic() - startedAtMs;
    metrics.observe('worker_step_seconds', { action: step.action, tier, result: 'completed' }, ms);
    if (healed) {
      metrics.count('worker_heals_total', { method: healed.method });
      const lasts = healed.locators.length > 0 ? '' : ', and nothing is known by which it is found again';
      const message = `${stepTitle(step)}: not found, done to ${healed.element} instead${lasts}`;
      events.add('step.healed', message, { ...stepRef(position), id: step.id ?? null, ...healed }, 'warn');
    }
    events.add('step.completed', `${stepTitle(step)}: done`, {
      ...stepRef(position),
      id: step.id ?? null,
      tier,
      durationMs: Math.round(ms),
      located,
      ...(value !== undefined && { value }),
      ...(evidence && { evidence }),
      page: page && { url: page.url, title: page.title },
    });
  }

  /** An attempt failed, and is followed by another one. @param seconds until then */
  retrying(
    { position, step, startedAtMs, attempt }: RunningStep,
    error: PilothouseError,
    { maxAttempts, seconds }: { maxAttempts: number; seconds: number },
  ): void {
    const { events, metrics, clock } = this.parts;
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
      durationMs: ms,
      nextAttemptAt: new Date(clock.now().getTime() + seconds * 1000).toISOString(),
    };
    events.add('step.retrying', message.slice(0, MAX_MESSAGE), data, 'warn');
  }

  /** Its course is not told: whether the run goes on after it is for the workflow to say. */
  failed(
    { position, step, startedAtMs, tier = 'replay' }: RunningStep,
    error: PilothouseError,
    level: 'warn' | 'error',
  ): void {
    const { events, metrics, clock } = this.parts;
    const ms = Math.round(clock.monotonic() - startedAtMs);
    metrics.observe('worker_step_seconds', { action: step.action, tier, result: 'failed' }, ms);
    metrics.count('worker_step_failures_total', { code: error.code });
    if (error.details?.['heal'] !== undefined) metrics.count('worker_heals_total', { method: 'none' });
    const data = {
      ...stepRef(position),
      id: step.id ?? null,
      error: error.view(),
      durationMs: ms,
      ...(tier !== 'replay' && { tier }),
    };
    events.add('step.failed', `${stepTitle(step)}: ${error.message}`, data, level);
  }
}
