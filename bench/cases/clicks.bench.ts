/**
 * Compares a click with a verified target with `locator.click` of Playwright. Both click the same
 * button, alternating, in one process and with the same browser build. Then measures the cost of reading typed text back, against
 * `type` without it, alternating.
 */
import type { ActionServices } from '@pilothouse/core/ports/surface-action.port';
import { BrowserHost } from '@pilothouse/surface-browser';
import { TypedField } from '../../libs/surface/browser/src/actions/text-field.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost, forSize, plain, type Bench } from '../harness/bench.ts';
import { launchChromium, VIEWPORT } from '../harness/launch-chromium.ts';
import { servePages } from '../harness/element-pages.ts';
import { median, round, seriesOf } from '../harness/statistics.ts';

/** A page with some hundred elements. */
const PAGE = `<!doctype html><html lang="en"><title>0</title><body><h1>Orders</h1><button onclick="document.title = Number(document.title) + 1">Next</button><label>Reference <input id="reference"></label><table>${Array.from(
  { length: 60 },
  (_, row) => `<tr><td>${row}</td><td><a href="#${row}">Order ${row}</a></td><td><input></td></tr>`,
).join('')}</table></body></html>`;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const within = (ms: number): ActionServices => ({
  signal: new AbortController().signal,
  deadline: performance.now() + ms,
  log: silent,
  guard: () => {},
  reveal: async (text) => text,
  file: async (name) => name,
});

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Runs a function while `type` does not read the text back. */
async function withoutVerification(work: () => Promise<unknown>): Promise<void> {
  const { prototype } = TypedField;
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'verify') ?? {};
  Object.defineProperty(prototype, 'verify', { ...descriptor, value: async () => {} });
  try {
    await work();
  } finally {
    Object.defineProperty(prototype, 'verify', descriptor);
  }
}

export const clicks: Bench = async (options) => {
  const { log } = options;
  const rounds = forSize(options, { smoke: 2, short: 200, full: 600 });
  const server = await servePages([{ path: '/', html: PAGE }]);
  const folder = await mkdtemp(join(tmpdir(), 'clicks-'));
  const host = new BrowserHost();
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: VIEWPORT });
    await page.goto(server.origin);
    const peer = page.getByRole('button', { name: 'Next' });
    const surface = await host.open({ folder }, within(30_000));
    await surface.act({ action: 'navigate', url: server.origin }, within(30_000));
    const target = { role: 'button', name: 'Next' };
    const clickOnce = () => surface.act({ action: 'click', target }, within(10_000));
    const theirs = () => peer.click();
    for (let turn = 0; turn < 10; turn += 1) {
      await theirs();
      await clickOnce();
    }
    const [ours, peers]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < rounds; turn += 1) {
      peers.push(await timed(theirs));
      ours.push(await timed(clickOnce));
      if (turn % 50 === 49) log(`${turn + 1}/${rounds}`);
    }
    const clickCount = Number((await surface.anchors(within(10_000))).title);
    if (clickCount !== rounds + 10) throw new Error(`The page counted ${clickCount} clicks, not ${rounds + 10}`);

    const field = page.getByLabel('Reference');
    let count = 0;
    const text = () => `Order ${(count += 1)}`;
    const type = () => surface.act({ action: 'fill', target: { label: 'Reference' }, text: text() }, within(10_000));
    const fill = () => field.fill(text());
    for (let turn = 0; turn < 10; turn += 1) {
      await fill();
      await type();
      await withoutVerification(type);
    }
    const [clickTimes, blind, filled]: [number[], number[], number[]] = [[], [], []];
    const methods = [
      async () => void filled.push(await timed(fill)),
      async () => void clickTimes.push(await timed(type)),
      () => withoutVerification(async () => void blind.push(await timed(type))),
    ];
    for (let turn = 0; turn < rounds; turn += 1) {
      for (const method of turn % 2 === 0 ? methods : methods.toReversed()) await method();
      if (turn % 50 === 49) log(`typed ${turn + 1}/${rounds}`);
    }
    const { value } = await surface.act(
      { action: 'extract', target: { css: '#reference' }, value: {} },
      within(10_000),
    );
    if (!String(value).startsWith('Order ')) throw new Error(`The field holds ${JSON.stringify(value)}`);
    return {
      figures: [
        atMost('click with a verified target, against locator.click, median', median(ours) / median(peers), 0.6, '×'),
        plain('click, median', round(median(ours)), 'ms'),
        plain('locator.click, median', round(median(peers)), 'ms'),
        atMost('reading a typed text back, added to type, median', median(clickTimes) - median(blind), 5, 'ms'),
        plain('type, median', round(median(clickTimes)), 'ms'),
        plain('type without reading back, median', round(median(blind)), 'ms'),
        plain('locator.fill, median', round(median(filled)), 'ms'),
      ],
      raw: {
        ours: seriesOf(ours),
        playwright: seriesOf(peers),
        type: seriesOf(clickTimes),
        typeUnread: seriesOf(blind),
        fill: seriesOf(filled),
      },
    };
  } finally {
    await browser.close();
    await host.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
};
