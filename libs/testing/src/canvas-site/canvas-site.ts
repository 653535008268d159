import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pixels } from '../decode-pixels.ts';

/** A page with a canvas: its element list is empty. */
export interface CanvasSite {
  readonly url: string;
  /** Requests except for the page itself, in order. */
  readonly requests: string[];
  /** HTML after the canvas; its scripts may use `sails`, `draw` and `pen`. */
  extraHtml: string;
  close(): Promise<void>;
}

/** Sails in click order: positions in the canvas, in pixels. */
const SAILS = [
  [500, 80],
  [120, 300],
] as const;
export const SAIL_SIZE_PX = 60;

const page = (
  extraHtml: string,
) => `<!doctype html><meta charset="utf-8"><title>Regatta</title><link rel="icon" href="data:,">
<style>body { margin: 0 } canvas { display: block }</style><canvas width="800" height="450"></canvas>
<script>
  const sails = ${JSON.stringify(SAILS)};
  const canvas = document.querySelector('canvas');
  const pen = canvas.getContext('2d');
  const draw = () => {
    const [sail] = sails;
    pen.fillStyle = sail ? '#ffffff' : '#00a000';
    pen.fillRect(0, 0, 800, 450);
    pen.fillStyle = '#e00000';
    if (sail) pen.fillRect(sail[0], sail[1], ${SAIL_SIZE_PX}, ${SAIL_SIZE_PX});
  };
  canvas.addEventListener('click', async ({ offsetX: x, offsetY: y }) => {
    const [sail] = sails;
    const isHit = sail && x >= sail[0] && x < sail[0] + ${SAIL_SIZE_PX} && y >= sail[1] && y < sail[1] + ${SAIL_SIZE_PX};
    if (isHit) sails.shift();
    draw();
    await fetch((isHit ? '/hit?' : '/miss?') + new URLSearchParams({ x, y }), { method: 'POST' });
  });
  draw();
</script>${extraHtml}`;

/**
 * Serves a canvas whose sails (red squares) are clicked in order. Each click is a request, `/hit` or `/miss`. After
 * the last hit the canvas is green.
 */
export async function startCanvasSite(): Promise<CanvasSite> {
  const requests: string[] = [];
  const site = { extraHtml: '' };
  const server = createServer((request, response) => {
    if (request.url !== '/') requests.push(`${request.method} ${request.url}`);
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(request.url === '/' ? page(site.extraHtml) : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(site, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** Center of the red area of an image, in thousandths of its size; null: no red. Ignores marks and other colors. */
export function findRed({ width, height, at }: Pixels): { x: number; y: number } | null {
  return middleOf(width, height, (x, y) => {
    const [red, green, blue] = at(x, y);
    return red > 180 && green < 60 && blue < 30;
  });
}

/** True when most of the upper left quarter of an image is green. */
export function isGreen({ width, height, at }: Pixels): boolean {
  const [red, green, blue] = at(Math.round(width / 8), Math.round(height / 8));
  return green > 120 && red < 60 && blue < 60;
}

function middleOf(width: number, height: number, matchesColor: (x: number, y: number) => boolean) {
  let [count, sumX, sumY] = [0, 0, 0];
  for (let y = 0; y < height; y += 4)
    for (let x = 0; x < width; x += 4)
      if (matchesColor(x, y)) {
        count += 1;
        sumX += x;
        sumY += y;
      }
  // Fewer red pixels are edges of letters.
  if (count < 20) return null;
  return { x: Math.round((1000 * sumX) / count / width), y: Math.round((1000 * sumY) / count / height) };
}
