import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ScreenshotMoment } from '@pilothouse/contract/run/artifact.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import type { Screenshot } from '@pilothouse/core/ports/surface-action.port';
import type { Surface, SurfaceFile } from '@pilothouse/core/ports/surface.port';
import { withDeadline } from '@pilothouse/core/time/deadlines';
import { openAsBlob } from 'node:fs';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import type { UploadQueue } from './upload-queue.ts';

/** Milliseconds for one screenshot. */
const SCREENSHOT_MS = 10_000;

const extensions = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' } as const;

/** Number of the step in the run, and its path in the workflow, e.g. `7/catch/1`. */
type StepNumberAndPath = Pick<StepPosition, 'number' | 'path'>;

/** Takes the screenshots that the capture policy of a run requires. A failed screenshot does not fail the step. */
export class ScreenshotRecorder {
  private readonly base: Pick<AttemptBase, 'assignment' | 'link' | 'masker' | 'clock' | 'timers' | 'log'>;
  private readonly uploads: Pick<UploadQueue, 'add'>;

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
      this.store(screenshot, position, step, moment);
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
    this.uploads.add({ kind: 'screenshot', moment, step: position.number, name, contentType, body });
  }
}

function nameOf({ number, path }: StepNumberAndPath, step: Step, moment: ScreenshotMoment): string {
  if (moment === 'during' && step.action === 'screenshot' && step.label) return step.label;
  const suffix = moment === 'failed' || moment === 'before' ? `-${moment}` : '';
  const last = path.split('/').at(-1);
  const label = step.id === last ? '' : `-${step.id ?? step.action}`;
  return `${fileNameOf(number, path)}${label}${suffix}`;
}

/**
 * Converts the path of a step into a file name: `7/catch/1` becomes `07-catch-1`. The first number has two digits, so that names sort. A
 * path that begins with an id is prefixed with the number of the step in the run: `orders[2]/1` becomes `05-orders[2]-1`.
 */
const fileNameOf = (number: number, path: string): string =>
  (/^\d/.test(path) ? path : `${number + 1}-${path}`)
    .replace(/^\d+/, (first) => first.padStart(2, '0'))
    .replaceAll('/', '-');
