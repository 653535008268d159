import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ConsoleLine, HarEntry } from '@pilothouse/contract/run/capture.schema';
import type { NetworkSink, SurfaceRecorders } from '@pilothouse/core/ports/surface-recorders.port';
import { buildHar } from '@pilothouse/core/run/har-archive';
import { settlesWithin } from '@pilothouse/core/time/deadlines';
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PendingArtifact } from './artifact-uploader.ts';
import type { UploadQueue } from './upload-queue.ts';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import { VideoEncoder, type FfmpegConfig } from './video-encoder.ts';

/** Console lines and requests of an attempt that are stored. */
const MAX_LINES = 5_000;
const MAX_ENTRIES = 5_000;
/** Longest console line. A longer one is not truncated: a part of a secret at its end could not be masked. */
const MAX_LINE_CHARS = 20_000;
/** Bytes of one request or response body, and of all bodies of an attempt. */
const MAX_BODY_BYTES = 64 * 1024;
const MAX_TOTAL_BODY_BYTES = 16 * 1024 * 1024;
/** Milliseconds to wait for the last responses at the end of the attempt. */
const RESPONSES_MS = 2_000;
/** Longest side of a small video, in pixels. */
const SMALL_VIDEO_PX = 640;

/**
 * Collects video, HAR and console of an attempt and uploads them at its end. A handed-over attempt or a killed worker uploads none.
 * Requests and lines stay unmasked in memory until the end, because a secret may become known after a page has shown it.
 */
export class DebugArtifacts {
  private readonly base: Pick<AttemptBase, 'assignment' | 'events' | 'masker' | 'timers' | 'log'>;
  private readonly uploads: Pick<UploadQueue, 'add'>;
  private readonly worker: { readonly ffmpeg?: FfmpegConfig | undefined; readonly version: string };
  private readonly lines: ConsoleLine[] = [];
  private readonly entries: HarEntry[] = [];
  private readonly pending = new Set<Promise<unknown>>();
  private bodyBytes = 0;
  private readonly dropped = { lines: 0, entries: 0 };
  private video: { readonly encoder: VideoEncoder; readonly path: string } | undefined;
  private isFinished = false;

  /** @param worker version, and ffmpeg if the worker can encode videos */
  constructor(base: DebugArtifacts['base'], uploads: DebugArtifacts['uploads'], worker: DebugArtifacts['worker']) {
    this.base = base;
    this.uploads = uploads;
    this.worker = worker;
  }

  /** Creates the recorders of the surface; undefined: the run captures nothing. @param workspace folder of the attempt */
  surfaceHooks(workspace: string): SurfaceRecorders | undefined {
    const { console, har = 'none', video = 'none' } = this.base.assignment.capture;
    if (!console && har === 'none' && video === 'none') return undefined;
    const encoder =
      video === 'none' ? undefined : this.startVideo(workspace, video === 'small' ? SMALL_VIDEO_PX : null);
    return {
      ...(console && { console: (line: ConsoleLine) => this.addLine(line) }),
      ...(har !== 'none' && { exchanges: this.networkSink(har === 'bodies' ? MAX_BODY_BYTES : 0) }),
      ...(encoder && { screencast: encoder }),
    };
  }

  /** Uploads the collected files. Called before the surface is closed. */
  async save(): Promise<void> {
    if (this.isFinished) return;
    const { console, har = 'none', video = 'none' } = this.base.assignment.capture;
    await Promise.all([
      video === 'none' ? undefined : this.saveVideo(),
      har === 'none' ? undefined : settlesWithin(Promise.all(this.pending), RESPONSES_MS, this.base.timers),
    ]);
    this.isFinished = true;
    if (har !== 'none') this.saveHar();
    if (console) this.saveConsole();
  }

  /** Stops the encoder. Nothing is stored afterwards. */
  abandon(): void {
    this.isFinished = true;
    this.video?.encoder.kill();
  }

  private startVideo(workspace: string, maxSidePx: number | null): VideoEncoder | undefined {
    const { ffmpeg } = this.worker;
    if (!ffmpeg) return undefined;
    const path = join(workspace, `video-${this.base.assignment.epoch}.mp4`);
    const encoder = new VideoEncoder(path, maxSidePx, ffmpeg, this.base.log);
    this.video = { encoder, path };
    return encoder;
  }

  private addLine(line: ConsoleLine): void {
    if (this.isFinished) return;
    if (this.lines.length === MAX_LINES) {
      this.dropped.lines += 1;
      return;
    }
    const { length } = line.text;
    this.lines.push(
      length > MAX_LINE_CHARS
        ? { ...line, text: `(${length} characters; at most ${MAX_LINE_CHARS} are stored)` }
        : line,
    );
  }

  private networkSink(maxBodyBytes: number): NetworkSink {
    const onExchange: NetworkSink['onExchange'] = (entry) => {
      if (this.isFinished) return;
      if (this.entries.length + this.pending.size >= MAX_ENTRIES) {
        this.dropped.entries += 1;
        return;
      }
      const pendingEntry = entry
        .then((exchange) => void (exchange && this.entries.push(this.limitBodies(exchange))))
        .finally(() => this.pending.delete(pendingEntry));
      this.pending.add(pendingEntry);
    };
    return { maxBodyBytes, onExchange };
  }

  /** Removes the bodies of an entry once the limit for all bodies is reached. */
  private limitBodies(entry: HarEntry): HarEntry {
    const { request, response } = entry;
    const bytes = (request.postData?.text.length ?? 0) + (response.content.text?.length ?? 0);
    if (bytes === 0) return entry;
    if (this.bodyBytes + bytes <= MAX_TOTAL_BODY_BYTES) {
      this.bodyBytes += bytes;
      return entry;
    }
    const comment = `At most ${MAX_TOTAL_BODY_BYTES} bytes of bodies are stored`;
    const { text: _, ...content } = response.content;
    const { postData } = request;
    return {
      ...entry,
      request: { ...request, ...(postData && { postData: { ...postData, params: [], text: '', comment } }) },
      response: { ...response, content: { ...content, comment } },
    };
  }

  private async saveVideo(): Promise<void> {
    const { log, assignment } = this.base;
    if (!this.video) return this.reportNoVideo('this worker does not record video');
    const { encoder, path } = this.video;
    const problem = await encoder.end();
    if (problem !== null) return this.reportNoVideo(problem);
    try {
      if ((await stat(path)).size === 0) return this.reportNoVideo('ffmpeg wrote nothing');
      const body = await openAsBlob(path, { type: 'video/mp4' });
      const name = `video-${assignment.epoch}.mp4`;
      this.uploads.add({ kind: 'video', step: null, name, contentType: 'video/mp4', body });
    } catch (thrown) {
      log.warn({ error: String(thrown) }, 'video not stored');
      this.reportNoVideo('the file is not readable');
    }
  }

  private reportNoVideo(reason: string): void {
    const code: PilothouseError['code'] = 'UPLOAD_FAILED';
    this.base.events.add('run.log', `No video for this attempt: ${reason}`, { facts: { file: 'video', code } }, 'warn');
  }

  private saveHar(): void {
    const { masker, assignment } = this.base;
    const { entries: count } = this.dropped;
    const comment = count > 0 ? `${count} more requests were dropped: at most ${MAX_ENTRIES} are stored` : undefined;
    const har = buildHar(this.entries, masker, this.worker.version, comment);
    this.upload(`network-${assignment.epoch}.har`, 'application/json', JSON.stringify(har));
  }

  private saveConsole(): void {
    const { masker, assignment } = this.base;
    const lines = this.lines.map((line) => JSON.stringify(masker.json(line)));
    if (this.dropped.lines > 0) lines.push(JSON.stringify({ leftOut: this.dropped.lines }));
    const text = lines.map((line) => `${line}\n`).join('');
    this.upload(`console-${assignment.epoch}.jsonl`, 'application/x-ndjson', text);
  }

  private upload(name: string, contentType: string, text: string): void {
    const file: PendingArtifact = { kind: 'trace', step: null, name, contentType, body: Buffer.from(text) };
    this.uploads.add(file);
  }
}
