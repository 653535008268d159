/**
 * Duration of an annotated screenshot for a model: from the image of Chromium to a JPEG of at most 1280 pixels. On the
 * pages of `elements`, in the default viewport and in a large one. Also measures the time of Chromium for the
 * image.
 */
import { renderModelImage } from '@pilothouse/infra-image';
import { BrowserObserver } from '@pilothouse/surface-browser';
import { chromium, type Page } from 'playwright-core';
import { findProgram } from '@pilothouse/infra-embedded';
import { atMost, forSize, plain, type Bench, type Figure } from '../harness/bench.ts';
import { pages, servePages } from '../harness/element-pages.ts';
import { median, round, seriesOf } from '../harness/statistics.ts';

/** Target in milliseconds. */
const LIMIT_MS = 60;
const WINDOWS = [
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
] as const;
/** Warm-up rounds. */
const WARM = 2;

export const screenshot: Bench = async (options) => {
  const { log } = options;
  const rounds = forSize(options, { smoke: 1, short: 9, full: 30 });
  const site = await servePages();
  const executablePath = ['chromium', 'chromium-browser', 'google-chrome'].map(findProgram).find(Boolean);
  const browser = await chromium.launch({ ...(executablePath !== undefined && { executablePath }) });
  const raw: object[] = [];
  const figures: Figure[] = [];
  try {
    for (const viewport of WINDOWS) {
      const name = `${viewport.width} × ${viewport.height}`;
      const context = await browser.newContext({ viewport });
      const [made, shot]: [number[], number[]] = [[], []];
      for (const benchPage of pages) {
        const page = await context.newPage();
        await page.goto(site.origin + benchPage.path, { waitUntil: 'load' });
        await page.waitForFunction(benchPage.ready);
        const measured = await measure(page, rounds);
        made.push(...measured.made);
        shot.push(...measured.shot);
        raw.push({ window: name, page: benchPage.name, ms: seriesOf(measured.made), bytes: measured.bytes });
        log(`${name}, ${benchPage.name}: ${round(median(measured.made))} ms, ${Math.round(measured.bytes / 1000)} kB`);
        await page.close();
      }
      await context.close();
      figures.push(
        atMost(`capture of a page → image for a model, p50: ${name}`, round(median(made)), LIMIT_MS, 'ms'),
        plain(`Chromium’s image before that, p50: ${name}`, round(median(shot)), 'ms'),
      );
    }
    return { figures, raw: { pages: raw } };
  } finally {
    await browser.close();
    await site.close();
  }
};

/** Milliseconds of each capture and of each annotation. */
async function measure(page: Page, rounds: number) {
  const limit = { signal: new AbortController().signal, deadline: performance.now() + 60_000 };
  const { observation } = await BrowserObserver.forPage(page).observe({}, limit);
  const [made, shot]: [number[], number[]] = [[], []];
  let bytes = 0;
  for (let index = -WARM; index < rounds; index += 1) {
    const startedAt = performance.now();
    const jpeg = await page.screenshot({ type: 'jpeg', quality: 85 });
    const capturedAt = performance.now();
    const { data } = await renderModelImage(jpeg, observation, []);
    if (index < 0) continue;
    shot.push(capturedAt - startedAt);
    made.push(performance.now() - capturedAt);
    bytes = Buffer.byteLength(data, 'base64');
  }
  return { made, shot, bytes };
}
