import type { PilothouseError, Step } from '@pilothouse/contract';
import { placed, stepTitle, type Clock, type Masker, type Place, type Rung } from '@pilothouse/core';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Course } from './course.ts';
import type { Reporter } from './reporter.ts';
import type { StepDone } from './step.ts';

/** The step at work, until its outcome is noted. */
export interface AtWork {
  readonly place: Place;
  /** With its templates replaced, once they are. */
  step: Step;
  /** Monotonic milliseconds; what it waited for a site does not count. */
  began: number;
  /** The highest rung that its agent came to so far; left out: no model was asked. */
  rung?: Rung;
}

export interface NotesParts {
  readonly course: Course;
  readonly masker: Masker;
  readonly reporter: Reporter;
  readonly telemetry: Pick<Telemetry, 'count' | 'observe'>;
  readonly clock: Clock;
}

/** Notes what became of steps: in the events of the run, in its course, and in what is measured. */
export class Notes {
  private readonly parts: NotesParts;

  constructor(parts: NotesParts) {
    this.parts = parts;
  }

  acted({ place, step, began }: AtWork, { outcome, page, rung, healed }: StepDone): void {
    const { course, masker, reporter, telemetry, clock } = this.parts;
    const { located, evidence } = outcome;
    const value = course.valueOf(outcome.value);
    if (value !== undefined && JSON.stringify(masker.json(value)) !== JSON.stringify(value))
      course.hidden.set(place.number, value);
    course.done({ status: 'acted', value: value ?? null });
    const ms = clock.monotonic() - began;
    telemetry.observe('worker_step_seconds', { action: step.action, rung: `${rung}`, result: 'acted' }, ms);
    if (healed) {
      telemetry.count('worker_heals_total', { by: healed.by });
      const lasts = healed.locators.length > 0 ? '' : ', and nothing is known by which it is found again';
      const message = `${stepTitle(step)}: not found, done to ${healed.element} instead${lasts}`;
      reporter.add('step.healed', message, { ...placed(place), id: step.id ?? null, ...healed }, 'warn');
    }
    reporter.add('step.acted', `${stepTitle(step)}: done`, {
      ...placed(place),
      id: step.id ?? null,
      rung,
      ms: Math.round(ms),
      located,
      ...(value !== undefined && { value }),
      ...(evidence && { evidence }),
      page: page && { url: page.url, title: page.title },
    });
  }

  /** Its course is not told: whether the run goes on after it is for the workflow to say. */
  failed({ place, step, began, rung = 0 }: AtWork, error: PilothouseError, level: 'warn' | 'error'): void {
    const { reporter, telemetry, clock } = this.parts;
    const ms = Math.round(clock.monotonic() - began);
    telemetry.observe('worker_step_seconds', { action: step.action, rung: `${rung}`, result: 'failed' }, ms);
    telemetry.count('worker_step_failures_total', { code: error.code });
    if (error.details?.['heal'] !== undefined) telemetry.count('worker_heals_total', { by: 'none' });
    const data = { ...placed(place), id: step.id ?? null, error: error.view(), ms, ...(rung > 0 && { rung }) };
    reporter.add('step.failed', `${stepTitle(step)}: ${error.message}`, data, level);
  }
}
