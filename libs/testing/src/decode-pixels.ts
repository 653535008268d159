import { execFileSync } from 'node:child_process';

/** A decoded image. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of a pixel, 0 to 255. */
  at(x: number, y: number): readonly [number, number, number];
}

/**
 * Decodes an image or a video frame with ffmpeg.
 * @param source the bytes of an image, or the path of a file
 * @param seconds time of the video frame (default: the first)
 */
export function pixelsOf(source: Buffer | string, seconds = 0): Pixels {
  const inputArgs = typeof source === 'string' ? ['-i', source, '-ss', String(seconds)] : ['-i', 'pipe:0'];
  const out = execFileSync(
    'ffmpeg',
    ['-v', 'error', ...inputArgs, '-frames:v', '1', '-f', 'image2pipe', '-c:v', 'ppm', '-'],
    {
      ...(typeof source !== 'string' && { input: source }),
      maxBuffer: 100_000_000,
    },
  );
  const [head = '', width = '', height = ''] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(out.toString('latin1', 0, 50)) ?? [];
  if (head === '') throw new Error('ffmpeg returned no image');
  return {
    width: Number(width),
    height: Number(height),
    at: (x, y) => {
      const offset = head.length + 3 * (y * Number(width) + x);
      return [out[offset] ?? 0, out[offset + 1] ?? 0, out[offset + 2] ?? 0];
    },
  };
}
