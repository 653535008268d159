/**
 * CPU time of a video of a changing page: the worker, its Chromium and ffmpeg. The peer is the same run without a
 * video, alternating.
 */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { atMost, forSize, plain, type Bench, type Figure } from '../harness/bench.ts';
import { BenchInstallation } from '../harness/bench-installation.ts';
import { median, round } from '../harness/statistics.ts';
import { cpuWithEnded, treeOf } from '../harness/process-memory.ts';
import { rest, until } from '../harness/settle.ts';

/** Milliseconds before the measurement, and of the measurement. */
const REST_MS = 3_000;
const MEASURED_MS = 8_000;

/** A table of 480 cells, of which a row and a cell change ten times a second. */
const text = `<!doctype html><title>Text</title><body style="margin: 0; font: 14px sans-serif"><h1>Orders</h1><p id="n"></p><table id="t" border="1"></table><script>
for (let i = 0; i < 40; i++) { const row = t.insertRow(); for (let j = 0; j < 12; j++) row.insertCell().textContent = 'cell ' + i + '.' + j; }
let k = 0; setInterval(() => { k++; n.textContent = 'tick ' + k; t.rows[k % 20].cells[k % 12].textContent = 'v' + k; }, 100);
</script>`;

/** A full-page canvas, redrawn at each frame or ten times a second. */
const canvas = (
  again: string,
) => `<!doctype html><title>Canvas</title><body style="margin: 0"><canvas id="c" width="1280" height="800"></canvas><script>
const x = c.getContext('2d'); let k = 0;
function draw() {
  k++; x.fillStyle = 'hsl(' + (k * 3 % 360) + ', 60%, 80%)'; x.fillRect(0, 0, 1280, 800);
  for (let i = 0; i < 60; i++) { x.fillStyle = 'hsl(' + i * 6 + ', 80%, 50%)'; x.fillRect((i * 97 + k * 7) % 1280, (i * 53 + k * 3) % 800, 60, 40); }
  x.fillStyle = '#000'; x.font = '40px sans-serif'; x.fillText('frame ' + k, 100, 100);
  ${again};
}
draw();
</script>`;

const pages = {
  'a table, 10 changes a second': text,
  'a canvas, 10 changes a second': canvas('setTimeout(draw, 100)'),
  'a canvas, 60 changes a second': canvas('requestAnimationFrame(draw)'),
} as const;
type PageName = keyof typeof pages;
const names = Object.keys(pages) as PageName[];

const videos = ['none', 'small', 'full'] as const;
type Kind = (typeof videos)[number];

interface Measured {
  readonly page: PageName;
  readonly video: Kind;
  /** Percent of a core. */
  readonly core: number;
  /** Frames per second of the video. */
  readonly frames: number;
  readonly bytes: number;
}

async function measure(
  installation: BenchInstallation,
  worker: number,
  url: string,
  page: PageName,
  video: Kind,
): Promise<Measured> {
  const seconds = (REST_MS + MEASURED_MS) / 1000 + 1.5;
  const steps = [
    { action: 'navigate', url },
    { action: 'wait', seconds },
  ];
  const { id } = await installation.client.submit({ steps, capture: { screenshots: 'none', video } });
  await until('the page is there', async () => (await installation.client.run(id)).currentStep === 1);
  await rest(REST_MS);
  const [previousCpu, startedAt] = [cpuWithEnded(treeOf([worker])), performance.now()];
  await rest(MEASURED_MS);
  const cpuSeconds = cpuWithEnded(treeOf([worker])) - previousCpu;
  const core = (100 * cpuSeconds) / (performance.now() - startedAt);
  await installation.client.waitForEnd(id);
  const { frames, bytes } = video === 'none' ? { frames: 0, bytes: 0 } : await measureVideo(installation, id, seconds);
  return { page, video, core, frames, bytes };
}

/** Frames and bytes of the video. */
async function measureVideo(
  installation: BenchInstallation,
  run: string,
  seconds: number,
): Promise<{ frames: number; bytes: number }> {
  const items = await installation.client.artifacts(run);
  const url = items.find(({ kind }) => kind === 'video')?.url;
  if (url === undefined) throw new Error('The run kept no video');
  const body = Buffer.from(await (await fetch(new URL(url, installation.url))).arrayBuffer());
  const file = join(installation.dir, 'video.mp4');
  await writeFile(file, body);
  const args = ['-v', 'error', '-count_frames', '-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0', file];
  return {
    frames: Number.parseInt(execFileSync('ffprobe', args, { encoding: 'utf8' }), 10) / seconds,
    bytes: body.length,
  };
}

export const video: Bench = async (options) => {
  const installation = await BenchInstallation.start({ ...options, slots: 1 });
  const site = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    const name = names[Number(request.url?.slice(1))];
    response.end(name === undefined ? '' : pages[name]);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  try {
    const worker = await installation.addWorker(1);
    const measurements: Measured[] = [];
    const turns = forSize(options, { smoke: 1, short: 2, full: 5 });
    for (let turn = 0; turn < turns; turn += 1) {
      for (const [index, page] of names.entries()) {
        for (const kind of videos) {
          const measured = await measure(installation, worker.pid, `${origin}/${index}`, page, kind);
          measurements.push(measured);
          options.log(
            `${page}, ${kind}: ${measured.core.toFixed(1)} % of a core, ${measured.frames.toFixed(1)} frames/s`,
          );
        }
      }
    }
    const measurementsOf = (page: PageName, kind: Kind) =>
      measurements.filter((measured) => measured.page === page && measured.video === kind);
    const middle = (page: PageName, kind: Kind, key: 'core' | 'frames' | 'bytes') =>
      median(measurementsOf(page, kind).map((measured) => measured[key]));
    const cost = (page: PageName, kind: Kind) => round(middle(page, kind, 'core') - middle(page, 'none', 'core'), 1);
    const figures = names.flatMap((page): Figure[] => [
      plain(`without a video: ${page}`, round(middle(page, 'none', 'core'), 1), '% of a core'),
      atMost(`a small video takes: ${page}`, cost(page, 'small'), 10, '% of a core'),
      plain(`a full video takes: ${page}`, cost(page, 'full'), '% of a core'),
      plain(
        `frames of it, small / full: ${page}`,
        round(middle(page, 'small', 'frames'), 1),
        `/ ${round(middle(page, 'full', 'frames'), 1)} a second`,
      ),
    ]);
    return { figures, raw: { measured: measurements, viewport: '1280 × 800', headless: true } };
  } finally {
    site.closeAllConnections();
    site.close();
    await installation.stop();
  }
};
