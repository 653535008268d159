import { jpegSize } from '@pilothouse/core/observation/jpeg-size';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import type { ScreencastSink } from '@pilothouse/core/ports/surface-recorders.port';
import { settlesWithin } from '@pilothouse/core/time/deadlines';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';

/** Settings of ffmpeg. */
export interface FfmpegConfig {
  /** Path or name of the executable. */
  readonly path: string;
  /** Complete environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Milliseconds for ffmpeg to finish a file. */
const FINISH_TIMEOUT_MS = 10_000;

/** Milliseconds to wait for a first frame at the end. A short run may end before the browser has sent one. */
const FIRST_FRAME_TIMEOUT_MS = 2_000;

/** Size at which a video ends, in bytes: half of the artifact limit. */
const MAX_BYTES = 1_000_000_000;

/** Maximum characters of ffmpeg output that are stored. */
const MAX_OUTPUT_CHARS = 2_000;

/** Boundary of the multipart stream. */
const BOUNDARY = 'frame';

/**
 * Encodes the video of an attempt with one ffmpeg process. ffmpeg timestamps frames on arrival, so a static page costs nothing. It reads a
 * pipe that closes with this process, so it never outlives the worker.
 */
export class VideoEncoder implements ScreencastSink {
  readonly maxFramesPerSecond = 5;
  readonly maxWidth: number | null;
  readonly maxHeight: number | null;
  private readonly path: string;
  private readonly ffmpeg: FfmpegConfig;
  private readonly log: Log;
  private child: ChildProcess | undefined;
  private exited: Promise<unknown> = Promise.resolve();
  private lastFrame: Buffer | undefined;
  private output = '';
  private problem: string | undefined;
  private readonly firstFrame = Promise.withResolvers<undefined>();
  private isFinished = false;

  /** @param path of the file; its folder is created if needed @param side maximum width and height in pixels */
  constructor(path: string, side: number | null, ffmpeg: FfmpegConfig, log: Log) {
    this.path = path;
    this.maxWidth = side;
    this.maxHeight = side;
    this.ffmpeg = ffmpeg;
    this.log = log;
  }

  async onFrame(jpeg: Buffer): Promise<void> {
    if (this.isFinished) return;
    this.lastFrame = jpeg;
    this.child ??= this.start(jpeg);
    this.firstFrame.resolve(undefined);
    await this.write(jpeg);
  }

  /**
   * Finishes the file after the first frame. Repeats the last frame, so that it lasts until now.
   * @returns the reason why there is no video, or null
   */
  async end(): Promise<string | null> {
    if (!this.isFinished) await settlesWithin(this.firstFrame.promise, FIRST_FRAME_TIMEOUT_MS);
    if (!this.isFinished && this.child && this.lastFrame) await this.write(this.lastFrame);
    this.isFinished = true;
    if (!this.child) return this.problem ?? 'the surface showed no frame';
    this.child.stdin?.end();
    if (!(await settlesWithin(this.exited, FINISH_TIMEOUT_MS)))
      this.problem ??= 'ffmpeg did not finish the file in time';
    this.kill();
    return this.problem ?? null;
  }

  /** Kills ffmpeg. The file is unusable afterwards. */
  kill(): void {
    this.isFinished = true;
    this.firstFrame.resolve(undefined);
    this.child?.kill('SIGKILL');
  }

  private start(jpeg: Buffer): ChildProcess {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    const { path, environment } = this.ffmpeg;
    // A separate process group: Ctrl-C at a terminal is for the worker, which still records while it drains.
    const child = spawn(path, ffmpegArguments(jpeg, this.path), {
      stdio: ['pipe', 'ignore', 'pipe'],
      env: environment,
      detached: true,
    });
    child.stdin?.on('error', () => undefined);
    child.stderr?.on(
      'data',
      (chunk: Buffer) => (this.output = (this.output + chunk.toString()).slice(-MAX_OUTPUT_CHARS)),
    );
    this.exited = new Promise<void>((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        const isMissing = error.code === 'ENOENT';
        this.problem = isMissing
          ? 'ffmpeg is not on the PATH of the worker (Debian, Ubuntu: apt-get install ffmpeg)'
          : `ffmpeg does not start: ${error.message}`;
        resolve();
      });
      child.once('close', (code, signal) => {
        // `close` is also emitted when the executable does not exist.
        if (code !== 0 && signal === null) {
          this.problem ??= `ffmpeg ended with ${code}: ${this.output.trim().split('\n').at(-1) ?? ''}`;
          this.log.warn({ code, output: this.output }, 'ffmpeg failed');
        }
        resolve();
      });
    });
    void this.exited.then(() => (this.isFinished = true));
    return child;
  }

  /** Resolves when ffmpeg has accepted the frame: a slow encoder gets fewer frames. */
  private async write(jpeg: Buffer): Promise<void> {
    const stdin = this.child?.stdin;
    if (!stdin?.writable || this.isFinished) return;
    const head = `--${BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: ${jpeg.length}\r\n\r\n`;
    stdin.write(head);
    stdin.write(jpeg);
    if (!stdin.write('\r\n')) await Promise.race([waitForDrain(stdin), this.exited]);
  }
}

const waitForDrain = (stdin: Writable) => once(stdin, 'drain').catch(() => undefined);

/**
 * One thread and the fastest preset: at five frames a second, more only costs processor time. Keeps the full range of JPEG, which needs no
 * conversion.
 */
function ffmpegArguments(firstFrame: Buffer, path: string): string[] {
  const { width, height } = jpegSize(firstFrame);
  // H.264 halves the resolution of colors: width and height must be even.
  const [w, h] = [width - (width % 2), height - (height % 2)];
  const input = [
    '-use_wallclock_as_timestamps',
    '1',
    '-fpsprobesize',
    '0',
    '-threads',
    '1',
    '-f',
    'mpjpeg',
    '-i',
    'pipe:0',
  ];
  // A page of another size is scaled to the size of the first one.
  const filter = `scale=${w}:${h}:force_original_aspect_ratio=decrease,pad=${w}:${h}:(ow-iw)/2:(oh-ih)/2`;
  const codec = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-tune',
    'zerolatency',
    '-crf',
    '28',
    '-pix_fmt',
    'yuvj420p',
  ];
  const output = ['-vf', filter, ...codec, '-threads', '1', '-vsync', 'vfr', '-fs', String(MAX_BYTES)];
  return ['-v', 'error', '-nostdin', ...input, ...output, '-movflags', '+faststart', '-f', 'mp4', '-y', path];
}
