import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { PROGRAM_PATH } from '../process/session-processes.ts';
import type { ScreenCapture, ScreenImage } from '../x/screen-capture.ts';
import type { Rectangle } from '../x/rectangle.ts';
import { parseTesseractTsv, type ScreenLine } from './screen-text.ts';

/** Enlargement of an image for tesseract. Doubling the size improves recognition. */
const SCALE = 2;

/** Maximum number of images whose text is cached. */
const MAX_CACHED = 8;

/** Bytes of output that are read. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Reads text in screenshots with tesseract. An unchanged image is not read again. */
export class ScreenOcr {
  readonly #screen: Pick<ScreenCapture, 'capture'>;
  readonly #cached = new Map<string, Promise<ScreenLine[]>>();

  constructor(screen: Pick<ScreenCapture, 'capture'>) {
    this.#screen = screen;
  }

  /** @throws Error if tesseract is not installed, fails, or needs longer than the timeout */
  async read(region: Rectangle, timeoutMs: number): Promise<ScreenLine[]> {
    const image = await this.#screen.capture();
    const part = clip(region, image);
    if (part === null) return [];
    const pixels = await sharp(image.data, { raw: { width: image.width, height: image.height, channels: 4 } })
      .extract({ left: part.x, top: part.y, width: part.width, height: part.height })
      .greyscale()
      .raw()
      .toBuffer();
    const key = createHash('sha256').update(JSON.stringify(part)).update(pixels).digest('base64');
    const known = this.#cached.get(key);
    if (known) return known;
    const reading = recognize(pixels, part, timeoutMs);
    this.#cached.set(key, reading);
    reading.catch(() => this.#cached.delete(key));
    for (const oldest of [...this.#cached.keys()].slice(0, -MAX_CACHED)) this.#cached.delete(oldest);
    return reading;
  }
}

function clip({ x, y, width, height }: Rectangle, image: ScreenImage): Rectangle | null {
  const [left, top] = [Math.max(0, Math.round(x)), Math.max(0, Math.round(y))];
  const right = Math.min(image.width, Math.round(x + width));
  const bottom = Math.min(image.height, Math.round(y + height));
  return right - left > 4 && bottom - top > 4 ? { x: left, y: top, width: right - left, height: bottom - top } : null;
}

/** @param pixels one byte each */
async function recognize(pixels: Buffer, part: Rectangle, timeoutMs: number): Promise<ScreenLine[]> {
  const { width, height } = part;
  const png = await sharp(pixels, { raw: { width, height, channels: 1 } })
    .resize({ width: width * SCALE, height: height * SCALE, kernel: 'cubic' })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return parseTesseractTsv(await runTesseract(png, timeoutMs), SCALE, part);
}

function runTesseract(png: Buffer, timeoutMs: number): Promise<string> {
  const options = {
    timeout: timeoutMs,
    killSignal: 'SIGKILL' as const,
    maxBuffer: MAX_OUTPUT_BYTES,
    // More threads make it slower, and take both cores of a worker.
    env: { PATH: PROGRAM_PATH, OMP_THREAD_LIMIT: '1' },
  };
  return new Promise((resolve, reject) => {
    // psm 11: text in any order, as on a screen.
    const child = execFile('tesseract', ['stdin', 'stdout', '--psm', '11', 'tsv'], options, (error, stdout) => {
      if (!error) resolve(stdout);
      else if (error.code === 'ENOENT')
        reject(new Error('Text on the screen cannot be read: tesseract is not installed; install tesseract-ocr'));
      else if (error.killed) reject(new Error(`Reading the text of the screen took longer than ${timeoutMs} ms`));
      else reject(new Error(`tesseract failed: ${error.message.slice(0, 300)}`));
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(png);
  });
}
