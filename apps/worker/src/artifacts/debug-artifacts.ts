import { PilothouseError, type ConsoleLine, type HarEntry, type RunCapture } from '@pilothouse/contract';
import {
  buildHar,
  type NetworkSink,
  type Log,
  type Masker,
  type SurfaceRecorders,
  settlesWithin,
} from '@pilothouse/core';
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PendingArtifact, UploadQueue } from './upload-queue.ts';
import type { EventBuffer } from '../attempt/event-buffer.ts';
import { VideoEncoder, type FfmpegConfig } from './video-encoder.ts';

/** Lines of a console, and requests, that are kept of an attempt. */
const MAX_LINES = 5_000;
const MAX_ENTRIES = 5_000;
/** Longest line that is kept. A part of one is never kept: it may end in the middle of a secret, which nobody would know then. */
const MAX_TEXT = 20_000;
/** Bytes of one body, and of all: of requests and answers. */
const BODY_BYTES = 64 * 1024;
const BODIES_BYTES = 16 * 1024 * 1024;
/** Milliseconds for the last answers to be told. */
const ANSWERS_MS = 2_000;
/** Most pixels of either side of a small video. */
const SMALL = 640;

export interface TracesOptions {
  readonly capture: RunCapture;
  /** Number of the attempt: each makes files of its own. */
  readonly epoch: number;
  readonly uploads: Pick<UploadQueue, 'add'>;
  readonly events: Pick<EventBuffer, 'add'>;
  readonly masker: Masker;
  readonly log: Log;
  /** Undefined: this worker makes no videos. */
  readonly ffmpeg: FfmpegConfig | undefined;
  /** Version of the worker. */
  readonly version: string;
}

/**
 * What a run keeps of its pages besides images: video, requests, console. It is collected while the attempt goes on and kept at its end;
 * an attempt that is taken away keeps nothing, as does a worker that is killed. Requests and lines stay in memory, unmasked, until then:
 * a secret may become known after a page has said it.
 */
export class DebugArtifacts {
  private readonly options: TracesOptions;
  private readonly lines: ConsoleLine[] = [];
  private readonly entries: HarEntry[] = [];
  private readonly pending = new Set<Promise<unknown>>();
  private bodies = 0;
  private left = { lines: 0, entries: 0 };
  private video: { readonly film: VideoEncoder; readonly path: string } | undefined;
  private isOver = false;

  constructor(options: TracesOptions) {
    this.options = options;
  }

  /** What the surface is to tell; undefined when the run keeps nothing of it. @param folder of the attempt */
  surfaceHooks(folder: string): SurfaceRecorders | undefined {
    const { console, har = 'none', video = 'none' } = this.options.capture;
    if (!console && har === 'none' && video === 'none') return undefined;
    const film = video === 'none' ? undefined : this.filmIn(folder, video === 'small' ? SMALL : null);
    return {
      ...(console && { console: (line: ConsoleLine) => this.line(line) }),
      ...(har !== 'none' && { exchanges: this.exchanges(har === 'bodies' ? BODY_BYTES : 0) }),
      ...(film && { film }),
    };
  }

  /** Keeps what there is: to be called before the surface is closed. */
  async save(): Promise<void> {
    if (this.isOver) return;
    const { console, har = 'none', video = 'none' } = this.options.capture;
    await Promise.all([
      video === 'none' ? undefined : this.endVideo(),
      har === 'none' ? undefined : settlesWithin(Promise.all(this.pending), ANSWERS_MS),
    ]);
    this.isOver = true;
    if (har !== 'none') this.keepHar();
    if (console) this.keepConsole();
  }

  /** Ends what is still at work. */
  abandon(): void {
    this.isOver = true;
    this.video?.film.kill();
  }

  private filmIn(folder: string, side: number | null): VideoEncoder | undefined {
    const { ffmpeg: encoder, log, epoch } = this.options;
    if (!encoder) return undefined;
    const path = join(folder, `video-${epoch}.mp4`);
    const film = new VideoEncoder(path, side, encoder, log);
    this.video = { film, path };
    return film;
  }

  private line(line: ConsoleLine): void {
    if (this.isOver) return;
    if (this.lines.length === MAX_LINES) {
      this.left.lines += 1;
      return;
    }
    const { length } = line.text;
    this.lines.push(length > MAX_TEXT ? { ...line, text: `(${length} letters; at most ${MAX_TEXT} are kept)` } : line);
  }

  private exchanges(bodies: number): NetworkSink {
    const over: NetworkSink['over'] = (entry) => {
      if (this.isOver) return;
      if (this.entries.length + this.pending.size >= MAX_ENTRIES) {
        this.left.entries += 1;
        return;
      }
      const noted = entry
        .then((told) => void (told && this.entries.push(this.fitting(told))))
        .finally(() => this.pending.delete(noted));
      this.pending.add(noted);
    };
    return { bodies, over };
  }

  /** The entry, without its bodies when there are too many of them. */
  private fitting(entry: HarEntry): HarEntry {
    const { request, response } = entry;
    const bytes = (request.postData?.text.length ?? 0) + (response.content.text?.length ?? 0);
    if (bytes === 0) return entry;
    if (this.bodies + bytes <= BODIES_BYTES) {
      this.bodies += bytes;
      return entry;
    }
    const comment = `Of all bodies together ${BODIES_BYTES} bytes are kept`;
    const { text: _, ...content } = response.content;
    const { postData } = request;
    return {
      ...entry,
      request: { ...request, ...(postData && { postData: { ...postData, params: [], text: '', comment } }) },
      response: { ...response, content: { ...content, comment } },
    };
  }

  private async endVideo(): Promise<void> {
    const { uploads, log, epoch } = this.options;
    if (!this.video) return this.noVideo('this worker makes none');
    const { film, path } = this.video;
    const problem = await film.end();
    if (problem !== null) return this.noVideo(problem);
    try {
      if ((await stat(path)).size === 0) return this.noVideo('ffmpeg wrote nothing');
      const body = await openAsBlob(path, { type: 'video/mp4' });
      uploads.add({ kind: 'video', step: null, name: `video-${epoch}.mp4`, contentType: 'video/mp4', body });
    } catch (thrown) {
      log.warn({ error: String(thrown) }, 'a video could not be kept');
      this.noVideo('its file cannot be read');
    }
  }

  private noVideo(why: string): void {
    const code: PilothouseError['code'] = 'UPLOAD_FAILED';
    this.options.events.add('run.log', `No video of this attempt: ${why}`, { facts: { file: 'video', code } }, 'warn');
  }

  private keepHar(): void {
    const { masker, version, epoch } = this.options;
    const { entries: left } = this.left;
    const comment = left > 0 ? `${left} more requests are left out: at most ${MAX_ENTRIES} are kept` : undefined;
    const har = buildHar(this.entries, masker, version, comment);
    this.keep(`network-${epoch}.har`, 'application/json', JSON.stringify(har));
  }

  private keepConsole(): void {
    const { masker, epoch } = this.options;
    const lines = this.lines.map((line) => JSON.stringify(masker.json(line)));
    if (this.left.lines > 0) lines.push(JSON.stringify({ leftOut: this.left.lines }));
    this.keep(`console-${epoch}.jsonl`, 'application/x-ndjson', lines.map((line) => `${line}\n`).join(''));
  }

  private keep(name: string, contentType: string, text: string): void {
    const file: PendingArtifact = { kind: 'trace', step: null, name, contentType, body: Buffer.from(text) };
    this.options.uploads.add(file);
  }
}
