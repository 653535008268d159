import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ScreenshotMoment } from '@pilothouse/contract/run/artifact.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import { hasGoals } from '@pilothouse/core/agent/healing/workflow-repair';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import { numberOf, sortableNumber } from '@pilothouse/core/interpreter/step-number';
import type { Screenshot } from '@pilothouse/core/ports/surface-action.port';
import type { Surface, SurfaceFile } from '@pilothouse/core/ports/surface.port';
import { withDeadline } from '@pilothouse/core/time/deadlines';
import { openAsBlob } from 'node:fs';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import type { UploadQueue } from './upload-queue.ts';

/** Milliseconds for one screenshot. */
const SCREENSHOT_MS = 10_000;

const extensions = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' } as const;

/** Index of the step in the run, its path in the workflow, and its number for people, e.g. `7/catch/1`. */
type StepNumberAndPath = Pick<StepPosition, 'number' | 'path' | 'label'>;

/** Takes the screenshots that the capture policy of a run requires. A failed screenshot does not fail the step. */
export class ScreenshotRecorder {
  private readonly base: Pick<AttemptBase, 'assignment' | 'link' | 'masker' | 'clock' | 'timers' | 'log'>;
  private readonly uploads: Pick<UploadQueue, 'add'>;
  /** Number of the last step that has a screenshot of its end. */
  private lastStep: number | null = null;

  constructor(base: ScreenshotRecorder['base'], uploads: ScreenshotRecorder['uploads']) {
    this.base = base;
    this.uploads = uploads;
  }

  /** Receives the screenshot before a step, with its target marked; undefined: the policy requires none. A retried step stores one. */
  onBeforeAction(position: StepNumberAndPath, step: Step): ((screenshot: Screenshot) => void) | undefined {
    if (this.policy !== 'before-and-after') return undefined;
    let isStored = false;
    return (screenshot) => {
      if (!isStored) this.store(screenshot, position, step, 'before');
      isStored = true;
    };
  }

  /** Stores the screenshot that a step returned, or takes the one that the policy requires. */
  async afterStep(
    surface: Surface,
    position: StepNumberAndPath,
    step: Step,
    screenshot: Screenshot | undefined,
  ): Promise<void> {
    const { policy } = this;
    if (screenshot) this.store(screenshot, position, step, 'during');
    else if (policy === 'on' || policy === 'before-and-after') await this.capture(surface, position, step, 'after');
  }

  async afterFailure(surface: Surface, position: StepNumberAndPath, step: Step): Promise<void> {
    if (this.policy !== 'none') await this.capture(surface, position, step, 'failed');
  }

  /** Stores the last page of a run with a goal, unless its last step has a screenshot. A surface without a screenshot stores none. */
  async afterRun(surface: Surface, position: StepNumberAndPath, step: Step): Promise<void> {
    if (this.policy === 'none' || this.lastStep === position.number) return;
    if (hasGoals(this.base.assignment.definition)) await this.capture(surface, position, step, 'after', hasPixels);
  }

  /** Queues a file that the site or a step created. It stays on disk until it is stored. */
  async addSurfaceFile({ kind, name, contentType, path }: SurfaceFile, index: number | null): Promise<void> {
    const { masker, log } = this.base;
    try {
      const body = await openAsBlob(path, { type: contentType });
      this.uploads.add({ kind, step: index, name: masker.text(name).slice(0, 240), contentType, body });
    } catch (thrown) {
      log.warn({ step: index, error: String(thrown) }, 'file not stored');
    }
  }

  private get policy() {
    return this.base.assignment.capture.screenshots;
  }

  private async capture(
    surface: Surface,
    position: StepNumberAndPath,
    step: Step,
    moment: ScreenshotMoment,
    isWanted: (screenshot: Screenshot) => boolean = () => true,
  ): Promise<void> {
    const { clock, timers, log, link } = this.base;
    const signal = AbortSignal.any([link.lossSignal, surface.lossSignal]);
    const deadline = clock.monotonic() + SCREENSHOT_MS;
    try {
      const screenshot = await withDeadline(
        SCREENSHOT_MS,
        signal,
        (bounded) => surface.screenshot({}, { signal: bounded, deadline, log }),
        { timers },
      );
      if (isWanted(screenshot)) this.store(screenshot, position, step, moment);
    } catch (thrown) {
      const code = thrown instanceof PilothouseError ? thrown.code : 'none';
      log.warn({ step: position.number, code, error: String(thrown) }, 'screenshot failed');
    }
  }

  private store(
    { body, contentType }: Screenshot,
    position: StepNumberAndPath,
    step: Step,
    moment: ScreenshotMoment,
  ): void {
    const { masker } = this.base;
    const name = `${masker.text(nameOf(position, step, moment)).slice(0, 240)}.${extensions[contentType]}`;
    if (moment !== 'before') this.lastStep = position.number;
    this.uploads.add({ kind: 'screenshot', moment, step: position.number, name, contentType, body });
  }
}

/** False for the single pixel of a surface without a screenshot. */
const hasPixels = ({ width, height }: Screenshot) => width * height > 1;

function nameOf(position: StepNumberAndPath, step: Step, moment: ScreenshotMoment): string {
  if (moment === 'during' && step.action === 'screenshot' && step.label) return step.label;
  const suffix = moment === 'failed' || moment === 'before' ? `-${moment}` : '';
  const number = sortableNumber(numberOf(position));
  const label = step.id !== undefined && number.split('-').at(-1) === step.id ? '' : `-${step.id ?? step.action}`;
  return `${number}${label}${suffix}`;
}
