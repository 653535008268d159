import { PilothouseError, type RunCapture, type ScreenshotMoment, type Step } from '@pilothouse/contract';
import {
  type Clock,
  type Log,
  type Masker,
  type StepPosition,
  type Screenshot,
  type Surface,
  type SurfaceFile,
  withDeadline,
} from '@pilothouse/core';
import { openAsBlob } from 'node:fs';
import type { UploadQueue } from './upload-queue.ts';

/** Milliseconds that an image may take. */
const SCREENSHOT_MS = 10_000;

const extensions = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' } as const;

/** Number of a step in the run, and its place in the workflow, e.g. `7/catch/1`. */
type StepPlace = Pick<StepPosition, 'number' | 'path'>;

export interface RecorderOptions {
  readonly capture: RunCapture;
  readonly uploads: Pick<UploadQueue, 'add'>;
  readonly masker: Masker;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when nothing can be kept any more. */
  readonly signal: AbortSignal;
}

/** Keeps images of a run, as its record policy says. An image that cannot be taken fails nothing. */
export class ScreenshotRecorder {
  private readonly options: RecorderOptions;

  constructor(options: RecorderOptions) {
    this.options = options;
  }

  /** Takes the image before a step, with its target marked; undefined when the policy wants none. A step that is tried again gives one. */
  onBeforeAction(place: StepPlace, step: Step): ((image: Screenshot) => void) | undefined {
    if (this.options.capture.screenshots !== 'before-and-after') return undefined;
    let isKept = false;
    return (image) => {
      if (!isKept) this.keep(image, place, step, 'before');
      isKept = true;
    };
  }

  /** After a step that acted: the image it took itself, and the one that the policy wants. */
  async afterStep(surface: Surface, place: StepPlace, step: Step, taken: Screenshot | undefined): Promise<void> {
    const { screenshots } = this.options.capture;
    if (taken) this.keep(taken, place, step, 'taken');
    else if (screenshots === 'on' || screenshots === 'before-and-after') await this.take(surface, place, step, 'after');
  }

  /** After a step that failed. */
  async afterFailure(surface: Surface, place: StepPlace, step: Step): Promise<void> {
    if (this.options.capture.screenshots !== 'none') await this.take(surface, place, step, 'failed');
  }

  /** A file that came from the site, or that a step made. It stays on disk until it is stored. */
  async UploadQueue({ kind, name, contentType, path }: SurfaceFile, index: number | null): Promise<void> {
    const { uploads, masker, log } = this.options;
    try {
      const body = await openAsBlob(path, { type: contentType });
      uploads.add({ kind, step: index, name: masker.text(name).slice(0, 240), contentType, body });
    } catch (thrown) {
      log.warn({ step: index, error: String(thrown) }, 'a file could not be kept');
    }
  }

  private async take(surface: Surface, place: StepPlace, step: Step, moment: ScreenshotMoment): Promise<void> {
    const { clock, log } = this.options;
    const signal = AbortSignal.any([this.options.signal, surface.lost]);
    const deadline = clock.monotonic() + SCREENSHOT_MS;
    try {
      const shot = await withDeadline(SCREENSHOT_MS, signal, (late) =>
        surface.screenshot({}, { signal: late, deadline, log }),
      );
      this.keep(shot, place, step, moment);
    } catch (thrown) {
      const code = thrown instanceof PilothouseError ? thrown.code : 'none';
      log.warn({ step: place.number, code, error: String(thrown) }, 'no screenshot could be taken');
    }
  }

  private keep({ body, contentType }: Screenshot, place: StepPlace, step: Step, moment: ScreenshotMoment): void {
    const { uploads, masker } = this.options;
    const name = `${masker.text(nameOf(place, step, moment)).slice(0, 240)}.${extensions[contentType]}`;
    uploads.add({ kind: 'screenshot', moment, step: place.number, name, contentType, body });
  }
}

function nameOf({ number, path }: StepPlace, step: Step, moment: ScreenshotMoment): string {
  if (moment === 'taken' && step.action === 'screenshot' && step.label) return step.label;
  const which = moment === 'failed' || moment === 'before' ? `-${moment}` : '';
  const last = path.split('/').at(-1);
  const own = step.id === last ? '' : `-${step.id ?? step.action}`;
  return `${fileNameOf(number, path)}${own}${which}`;
}

/**
 * The path of a step in a file name: `7/catch/1` is `07-catch-1`. The first number has two digits, so that names sort; a path that begins with an
 * id comes after the number of the step in the run: `orders[2]/1` is `05-orders[2]-1`.
 */
const fileNameOf = (number: number, path: string): string =>
  (/^\d/.test(path) ? path : `${number + 1}-${path}`)
    .replace(/^\d+/, (first) => first.padStart(2, '0'))
    .replaceAll('/', '-');
