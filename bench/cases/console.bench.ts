/** Console latency: page loads, scrolling, and the delay of live updates. */
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { atMost, forSize, plain, type Bench } from '../harness/bench.ts';
import { launchChromium } from '../harness/launch-chromium.ts';
import { BenchInstallation } from '../harness/bench-installation.ts';
import { median, percentile, round, seriesOf } from '../harness/statistics.ts';
import { emptyRun, pauseFleets, insertRuns } from '../harness/empty-run-load.ts';
import { blindLoginSteps } from '../harness/bench-demo-site.ts';
import { until } from '../harness/settle.ts';

const WINDOW = { width: 1440, height: 900 };

/** Rows of the scrolled table. */
const ROWS = 10_000;

/** Loop rounds of a run with a thousand events, two per step. */
const ROUNDS = 500;

/** Steps of the watched run, and the duration of each. */
const STEPS = 60;
const STEP_MS = 200;

/** Pixels scrolled per frame: seven rows. */
const SCROLL_PX = 280;

export const consoleBench: Bench = async (options) => {
  const times = forSize(options, { smoke: 1, short: 25, full: 100 });
  const rows = forSize(options, { smoke: 300, short: ROWS, full: ROWS });
  const installation = await BenchInstallation.start({ ...options, slots: 4 });
  let browser: Browser | undefined;
  try {
    browser = await launchChromium();
    const context = await browser.newContext({ baseURL: await installation.console(), viewport: WINDOW });
    context.setDefaultTimeout(60_000);
    const page = await signIn(context, installation.client.key);

    const site = await installation.site();
    await installation.addWorker(4, { PILOTHOUSE_SURFACE: 'http' });
    const long = await longRun(installation, site);
    options.log(`a run with ${long.events} events is there`);
    const rendered = await renderTimes(
      context,
      installation,
      ['/', '/runs', `/runs/${long.id}`, '/workflows', '/fleets'],
      times,
    );
    const paints = await firstPaints(context, `/runs/${long.id}`, Math.ceil(times / 5));
    options.log('pages were rendered');
    const latencies = await liveLatency(page, installation, site);
    options.log('a run was looked at');
    const scripts = await scriptsOf(context, '/runs');

    await pauseFleets(installation);
    await installation.client.submit(emptyRun);
    await insertRuns(installation, rows - 1);
    options.log(`${rows} runs are there`);
    // Alternating, so that load affects both.
    const ours: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      ours.push(...(await scrollRuns(page, rows)));
      bare.push(...(await scrollBare(context, rows)));
    }

    const slowest = Math.max(...rendered.map(({ console }) => median(console)));
    return {
      figures: [
        atMost('server render of a page, p50, the slowest of five', round(slowest), 150, 'ms'),
        plain('the same runs from the REST API alone, p50', round(median(rendered[1]?.peer ?? [])), 'ms'),
        atMost(`run with ${long.events} events: first paint`, round(median(paints)), 1000, 'ms'),
        atMost('JavaScript of the runs page, gzip', round(scripts / 1000), 200, 'kB'),
        atMost('event recorded to step seen as done, p95', seriesOf(latencies).p95, 250, 'ms'),
        plain('the same, p50', seriesOf(latencies).p50, 'ms'),
        plain(`frames while ${rows} rows are scrolled, p95`, round(percentile(ours, 0.95)), 'ms'),
        atMost(
          'the same against a bare page of as many lines',
          round(percentile(ours, 0.95) / percentile(bare, 0.95)),
          2,
          '×',
        ),
      ],
      raw: {
        render: rendered.map(({ path, console, peer }) => ({ path, console: seriesOf(console), api: seriesOf(peer) })),
        paints: seriesOf(paints),
        seen: seriesOf(latencies),
        frames: { console: seriesOf(ours), bare: seriesOf(bare) },
        rows,
      },
    };
  } finally {
    await browser?.close();
    await installation.stop();
  }
};

async function signIn(context: BrowserContext, key: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto('/sign-in?with=key');
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  return page;
}

/** A finished run of many steps. */
async function longRun(installation: BenchInstallation, site: string): Promise<{ id: string; events: number }> {
  const steps = [{ action: 'navigate', url: `${site}/api/tides` }];
  const body = { steps: [{ action: 'forEach', in: Array.from({ length: ROUNDS }, (_, n) => n), steps }] };
  const { id } = await installation.client.submit(body);
  await until('the run is over', async () => (await installation.client.run(id)).status === 'completed', 120_000);
  const [{ events } = { events: 0 }] = await installation.rows<{ events: number }>(
    'SELECT count(*)::int AS events FROM run_event WHERE run_id = $1',
    [id],
  );
  return { id, events };
}

/** Milliseconds for complete pages of the console, and for a page of runs of the API. */
async function renderTimes(
  context: BrowserContext,
  installation: BenchInstallation,
  paths: readonly string[],
  times: number,
) {
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const base = new URL(context.pages()[0]?.url() ?? '').origin;
  const routeTimings: { path: string; console: number[]; peer: number[] }[] = [];
  for (const path of paths) {
    const samples = { path, console: [] as number[], peer: [] as number[] };
    for (let n = 0; n < times; n += 1) {
      samples.console.push(await timed(() => fetch(base + path, { headers: { cookie } })));
      samples.peer.push(await timed(() => installation.client.request('/v1/runs?limit=100')));
    }
    routeTimings.push(samples);
  }
  return routeTimings;
}

async function timed(sendRequest: () => Promise<Response>): Promise<number> {
  const startedAt = performance.now();
  const answer = await sendRequest();
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`);
  return performance.now() - startedAt;
}

/** Milliseconds from the click to the first contentful paint, in a page that was just opened. */
async function firstPaints(context: BrowserContext, path: string, times: number): Promise<number[]> {
  const paints: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const page = await context.newPage();
    await page.goto(path);
    paints.push(
      await page.evaluate(
        () =>
          new Promise<number>((resolve) => {
            new PerformanceObserver((list) => {
              const [paint] = list.getEntriesByName('first-contentful-paint');
              if (paint) resolve(paint.startTime);
            }).observe({ type: 'paint', buffered: true });
          }),
      ),
    );
    await page.close();
  }
  return paints;
}

/** Transferred bytes of the scripts of a page. */
async function scriptsOf(context: BrowserContext, path: string): Promise<number> {
  const page = await context.newPage();
  const bodies: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') bodies.push(response.body());
  });
  await page.goto(path, { waitUntil: 'networkidle' });
  const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
  await page.close();
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Milliseconds from the record of a step's end in the database to the frame that shows the step as done. */
async function liveLatency(page: Page, installation: BenchInstallation, site: string): Promise<number[]> {
  const slow = { action: 'navigate', url: `${site}/api/tides?ms=${STEP_MS}` };
  const body = { steps: [...blindLoginSteps(site), ...Array.from({ length: STEPS + 10 }, () => slow)] };
  const { id } = await installation.client.submit(body);
  await until('the run is at work', async () => (await installation.client.run(id)).currentStep !== null);
  await page.goto(`/runs/${id}`, { waitUntil: 'domcontentloaded' });
  await page.evaluate(() => {
    const seenAt = ((globalThis as { seenAt?: Record<number, number> }).seenAt = {});
    const recordSteps = () => {
      const now = Date.now();
      for (const [index, item] of document.querySelectorAll('ol[aria-label=Steps] > li').entries())
        if (item.querySelector('[title=Done]')) (seenAt as Record<number, number>)[index] ??= now;
      requestAnimationFrame(recordSteps);
    };
    recordSteps();
  });
  const openedAt = Date.now();
  await until('the run is over', async () => (await installation.client.run(id)).status === 'completed', 120_000);
  await page.getByText('Completed', { exact: true }).first().waitFor();
  const seenAtByStep = await page.evaluate(() => (globalThis as unknown as { seenAt: Record<number, number> }).seenAt);
  const ends = await installation.rows<{ index: number; at: Date }>(
    `SELECT (data->>'step')::int AS index, recorded_at AS at FROM run_event WHERE run_id = $1 AND type = 'step.completed' ORDER BY seq`,
    [id],
  );
  return ends
    .filter(({ at }) => at.getTime() > openedAt + 1000)
    .map(({ index, at }) => {
      const when = seenAtByStep[index];
      if (when === undefined) throw new Error(`Step ${index} was never seen as done`);
      return when - at.getTime();
    });
}

/** Milliseconds of the frames while the table of runs is scrolled to its end. */
async function scrollRuns(page: Page, rows: number): Promise<number[]> {
  await page.goto('/runs');
  await page.getByRole('row').nth(5).waitFor();
  return page.evaluate(scroll, { px: SCROLL_PX, rows, timeoutMs: 90_000 });
}

/** The same for a static page with as many lines. */
async function scrollBare(context: BrowserContext, rows: number): Promise<number[]> {
  const page = await context.newPage();
  await page.setContent(Array.from({ length: rows }, (_, n) => `<p style="height:40px;margin:0">${n}</p>`).join(''));
  const frames = await page.evaluate(scroll, { px: SCROLL_PX, rows, timeoutMs: 90_000 });
  await page.close();
  return frames;
}

/** Scrolls in the page. Continues after the table has loaded more rows. */
async function scroll({ px, rows, timeoutMs }: { px: number; rows: number; timeoutMs: number }): Promise<number[]> {
  const frames: number[] = [];
  const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
  const startedAt = performance.now();
  const end = rows * 40 - 2 * innerHeight;
  let last = await frame();
  while (scrollY < end) {
    if (performance.now() - startedAt > timeoutMs) throw new Error(`The end was not reached: ${scrollY} of ${end} px`);
    scrollBy(0, px);
    const now = await frame();
    frames.push(now - last);
    last = now;
  }
  return frames;
}
