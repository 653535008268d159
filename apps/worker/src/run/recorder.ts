import { PilothouseError, type RunRecord, type ScreenshotMoment, type Step } from '@pilothouse/contract';
import type { Clock, Log, Masker, Screenshot, Surface, SurfaceFile } from '@pilothouse/core';
import { openAsBlob } from 'node:fs';
import type { Uploads } from '../files/uploads.ts';
import { inTime } from './waits.ts';

/** Milliseconds that an image may take. */
const SCREENSHOT_MS = 10_000;

const extensions = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' } as const;

export interface RecorderOptions {
  readonly record: RunRecord;
  readonly uploads: Pick<Uploads, 'add'>;
  readonly masker: Masker;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when nothing can be kept any more. */
  readonly signal: AbortSignal;
}

/** Keeps images of a run, as its record policy says. An image that cannot be taken fails nothing. */
export class Recorder {
  private readonly options: RecorderOptions;

  constructor(options: RecorderOptions) {
    this.options = options;
  }

  /** Takes the image before a step, with its target marked; undefined when the policy wants none. A step that is tried again gives one. */
  before(index: number, step: Step): ((image: Screenshot) => void) | undefined {
    if (this.options.record.screenshots !== 'around') return undefined;
    let isKept = false;
    return (image) => {
      if (!isKept) this.keep(image, index, step, 'before');
      isKept = true;
    };
  }

  /** After a step that acted: the image it took itself, and the one that the policy wants. */
  async acted(surface: Surface, index: number, step: Step, taken: Screenshot | undefined): Promise<void> {
    const { screenshots } = this.options.record;
    if (taken) this.keep(taken, index, step, 'taken');
    else if (screenshots === 'steps' || screenshots === 'around') await this.take(surface, index, step, 'after');
  }

  /** After a step that failed. */
  async failed(surface: Surface, index: number, step: Step): Promise<void> {
    if (this.options.record.screenshots !== 'none') await this.take(surface, index, step, 'failed');
  }

  /** A file that came from the site, or that a step made. It stays on disk until it is stored. */
  async file({ kind, name, contentType, path }: SurfaceFile, index: number | null): Promise<void> {
    const { uploads, masker, log } = this.options;
    try {
      const body = await openAsBlob(path, { type: contentType });
      uploads.add({ kind, step: index, name: masker.text(name).slice(0, 240), contentType, body });
    } catch (thrown) {
      log.warn({ step: index, error: String(thrown) }, 'a file could not be kept');
    }
  }

  private async take(surface: Surface, index: number, step: Step, moment: ScreenshotMoment): Promise<void> {
    const { clock, log } = this.options;
    const signal = AbortSignal.any([this.options.signal, surface.lost]);
    const deadline = clock.monotonic() + SCREENSHOT_MS;
    try {
      const shot = await inTime(SCREENSHOT_MS, signal, (late) =>
        surface.screenshot({}, { signal: late, deadline, log }),
      );
      this.keep(shot, index, step, moment);
    } catch (thrown) {
      const code = thrown instanceof PilothouseError ? thrown.code : 'none';
      log.warn({ step: index, code, error: String(thrown) }, 'no screenshot could be taken');
    }
  }

  private keep({ body, contentType }: Screenshot, index: number, step: Step, moment: ScreenshotMoment): void {
    const { uploads, masker } = this.options;
    const name = `${masker.text(nameOf(index, step, moment)).slice(0, 240)}.${extensions[contentType]}`;
    uploads.add({ kind: 'screenshot', moment, step: index, name, contentType, body });
  }
}

function nameOf(index: number, step: Step, moment: ScreenshotMoment): string {
  if (moment === 'taken' && step.action === 'screenshot' && step.label) return step.label;
  const number = String(index + 1).padStart(2, '0');
  const which = moment === 'failed' || moment === 'before' ? `-${moment}` : '';
  return `${number}-${step.id ?? step.action}${which}`;
}
