import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A page that is a drawing: nothing of it is in its list of elements. */
export interface CanvasSite {
  readonly url: string;
  /** Requests besides that of the page itself, in order. */
  readonly asked: string[];
  /** HTML behind the drawing; its scripts may use `sails`, `draw` and `pen`. */
  beside: string;
  close(): Promise<void>;
}

/** Sails that have to be clicked one after the other: their places in the canvas, in pixels. */
const SAILS = [
  [500, 80],
  [120, 300],
] as const;
export const SAIL_SIZE_PX = 60;

const page = (
  beside: string,
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
</script>${beside}`;

/** Serves a drawing whose sails (red squares) are to be clicked; each click is a request, `/hit` or `/miss`. After the last it is green. */
export async function startCanvasSite(): Promise<CanvasSite> {
  const asked: string[] = [];
  const site = { beside: '' };
  const server = createServer((request, response) => {
    if (request.url !== '/') asked.push(`${request.method} ${request.url}`);
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(request.url === '/' ? page(site.beside) : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(site, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
