/**
 * Cost and recall of the element list of a page, on the same pages and browser, alternating. Peers: the AI snapshot of
 * Playwright, the one of Stagehand, and the tree of browser-use. The ground truth comes from the debugger.
 */
import { BrowserObserver, type ObservedPage } from '@pilothouse/surface-browser';
import { findFreePort, findProgram } from '@pilothouse/infra-embedded';
import { getEncoding } from 'js-tiktoken';
import { chromium, type Page } from 'playwright-core';
import { atLeast, atMost, forSize, plain, type Bench, type Figure } from '../harness/bench.ts';
import { VIEWPORT } from '../harness/launch-chromium.ts';
import { pages, servePages, type BenchPage } from '../harness/element-pages.ts';
import { position, readGroundTruth } from '../harness/element-ground-truth.ts';
import { median, round, seriesOf } from '../harness/statistics.ts';
import { BrowserUse } from '../peers/browser-use-peer.ts';
import { Stagehand } from '../peers/stagehand-peer.ts';

const limit = () => ({ signal: new AbortController().signal, deadline: performance.now() + 60_000 });

/** Tokenizer of a 2024 model, used for all peers. */
const encoding = getEncoding('o200k_base');
const tokens = (text: string) => encoding.encode(text, 'all').length;

const timed = async <Value>(series: number[], work: () => Promise<Value>): Promise<Value> => {
  const startedAt = performance.now();
  const value = await work();
  series.push(performance.now() - startedAt);
  return value;
};

/** Compares the element list with the actionable elements of the page. */
async function recallOf(page: Page, observation: ObservedPage) {
  const { all, nodes, actionable, scriptOnly } = await readGroundTruth(page);
  const listed = new Set<number>();
  let entries = 0;
  for (const { index, interactive } of observation.elements) {
    if (!interactive) continue;
    entries += 1;
    const handle = await observation.handle(index, limit());
    listed.add(await handle.evaluate(position));
    await handle.dispose();
  }
  const missing = [...actionable].filter((element) => !listed.has(element));
  const missedHtml = await all.evaluate(
    (list, indexes) =>
      indexes
        .map((index) => (list[index] as Element).cloneNode(false) as Element)
        .map(({ outerHTML }) => outerHTML.slice(0, 160)),
    missing.slice(0, 12),
  );
  return {
    nodes,
    entries,
    actionable: actionable.size,
    found: actionable.size - missing.length,
    scriptOnly: scriptOnly.size,
    scriptFound: [...scriptOnly].filter((element) => listed.has(element)).length,
    missed: missedHtml,
  };
}

/** The installed peers. */
interface Peers {
  readonly browserUse: BrowserUse | null;
  readonly stagehand: Stagehand | null;
}

/** CDP target id of a page. */
async function targetOf(page: Page): Promise<string> {
  const wire = await page.context().newCDPSession(page);
  const { targetInfo } = await wire.send('Target.getTargetInfo');
  await wire.detach();
  return targetInfo.targetId;
}

/**
 * Alternates the snapshots of Stagehand and Playwright, after all others: its injected script and second connection would
 * slow them down.
 */
async function besideStagehand(page: Page, stagehand: Stagehand, rounds: number) {
  const stagehandPage = await stagehand.page(await targetOf(page));
  const ownTimes: number[] = [];
  const playwright: number[] = [];
  let text = '';
  try {
    for (let index = -2; index < rounds; index += 1) {
      const snapshot = await stagehandPage.observe();
      text = snapshot.text;
      await timed(index >= 0 ? playwright : [], () => page.ariaSnapshot({ mode: 'ai' }));
      if (index >= 0) ownTimes.push(snapshot.ms);
    }
  } finally {
    await stagehandPage.close();
  }
  return { ms: seriesOf(ownTimes), ratio: round(median(ownTimes) / median(playwright), 2), text };
}

async function measure(
  page: Page,
  benchPage: BenchPage,
  url: string,
  { browserUse, stagehand }: Peers,
  rounds: number,
) {
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForFunction(benchPage.ready);
  const list = BrowserObserver.forPage(page);
  const ours: number[] = [];
  const theirs: number[] = [];
  const tree: number[] = [];
  let text = '';
  let snapshot = '';
  let treeText = '';
  for (let index = -2; index < rounds; index += 1) {
    const samples = index >= 0 ? { ours, theirs, tree } : { ours: [], theirs: [], tree: [] };
    text = await timed(samples.ours, async () =>
      (await list.observe({ level: 'interactive' }, limit())).text('interactive'),
    );
    snapshot = await timed(samples.theirs, () => page.ariaSnapshot({ mode: 'ai' }));
    if (!browserUse || index % 3 !== 0) continue;
    const observation = await browserUse.observe(page.url());
    if (!observation) continue;
    treeText = observation.text;
    samples.tree.push(observation.ms);
  }
  const hybrid = stagehand && (await besideStagehand(page, stagehand, rounds));
  const recall = await recallOf(page, await list.observe({ level: 'interactive' }, limit()));
  return {
    page: benchPage.name,
    by: benchPage.by,
    ...recall,
    ms: {
      ours: seriesOf(ours),
      playwright: seriesOf(theirs),
      ...(hybrid && { stagehand: hybrid.ms }),
      ...(tree.length > 0 && { browserUse: seriesOf(tree) }),
    },
    ratio: round(median(ours) / median(theirs), 3),
    ...(hybrid && { stagehandRatio: hybrid.ratio }),
    tokens: {
      ours: tokens(text),
      playwright: tokens(snapshot),
      ...(hybrid && { stagehand: tokens(hybrid.text) }),
      ...(treeText && { browserUse: tokens(treeText) }),
    },
    text,
    treeText,
  };
}

type Measured = Awaited<ReturnType<typeof measure>>;

const sum = (measurements: readonly Measured[], valueOf: (measured: Measured) => number) =>
  measurements.reduce((total, measured) => total + valueOf(measured), 0);

function figuresOf(measurements: readonly Measured[]): Figure[] {
  const large = measurements.find(({ page }) => page.includes('3,340'));
  const comparable = measurements.filter(({ tokens: { browserUse } }) => browserUse !== undefined);
  return [
    ...measurements.map(({ page, nodes, ratio }) => atMost(`time × Playwright's, ${page} (${nodes})`, ratio, 0.2, '×')),
    ...measurements.map(({ page, ms }) =>
      plain(
        `ours / Playwright / Stagehand / browser-use, p50: ${page}`,
        ms.ours.p50,
        `/ ${ms.playwright.p50} / ${ms.stagehand?.p50 ?? '-'} / ${ms.browserUse?.p50 ?? '-'} ms`,
      ),
    ),
    ...measurements.flatMap(({ page, stagehandRatio }) =>
      stagehandRatio === undefined ? [] : [plain(`Stagehand × Playwright's, in turns: ${page}`, stagehandRatio, '×')],
    ),
    ...measurements.map(({ page, tokens: { ours, playwright, stagehand = '-', browserUse } }) => {
      const peerTokens = `(Playwright ${playwright}, Stagehand ${stagehand})`;
      return browserUse === undefined
        ? plain(`tokens, ${page}`, ours, peerTokens)
        : atMost(`tokens, ${page} ${peerTokens}`, ours, browserUse, '');
    }),
    ...(comparable.length > 0
      ? [
          atMost(
            'tokens, all pages',
            sum(comparable, (measured) => measured.tokens.ours),
            sum(comparable, (measured) => measured.tokens.browserUse ?? 0),
            '',
          ),
        ]
      : []),
    ...(large && comparable.length === 0
      ? [atMost('tokens of 3,340 nodes, against the 540 that browser-use had elsewhere', large.tokens.ours, 540, '')]
      : []),
    atLeast(
      'listed of what only a script makes clickable',
      round(
        (100 * sum(measurements, (measured) => measured.scriptFound)) /
          sum(measurements, (measured) => measured.scriptOnly),
        1,
      ),
      95,
      '%',
    ),
    atLeast(
      'listed of all that can be acted on in view',
      round(
        (100 * sum(measurements, (measured) => measured.found)) / sum(measurements, (measured) => measured.actionable),
        1,
      ),
      98,
      '%',
    ),
    atMost(
      'entries for each',
      round(sum(measurements, (measured) => measured.entries) / sum(measurements, (measured) => measured.actionable)),
      1.3,
      '',
    ),
    plain(
      'elements to act on, all pages',
      sum(measurements, (measured) => measured.actionable),
      '',
    ),
    plain(
      'of which only a script tells',
      sum(measurements, (measured) => measured.scriptOnly),
      '',
    ),
  ];
}

export const elements: Bench = async (options) => {
  const { log } = options;
  const rounds = forSize(options, { smoke: 1, short: 9, full: 30 });
  const site = await servePages();
  const port = await findFreePort(0);
  const executablePath = ['chromium', 'chromium-browser', 'google-chrome'].map(findProgram).find(Boolean);
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: [
      `--remote-debugging-port=${port}`,
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--no-first-run',
    ],
  });
  const address = `http://127.0.0.1:${port}`;
  const { webSocketDebuggerUrl } = (await (await fetch(`${address}/json/version`)).json()) as {
    webSocketDebuggerUrl: string;
  };
  const peers: Peers = {
    browserUse: await BrowserUse.start(address),
    stagehand: await Stagehand.find(webSocketDebuggerUrl),
  };
  if (!peers.browserUse) log('browser-use skipped: not installed (pip install browser-use; python3 on the PATH)');
  if (!peers.stagehand)
    log(
      'Stagehand skipped: not installed (npm install --no-save --ignore-scripts --prefix bench/peers @browserbasehq/stagehand@3)',
    );
  try {
    const context = await browser.newContext({ viewport: VIEWPORT });
    const measurements: Measured[] = [];
    for (const benchPage of pages) {
      const page = await context.newPage();
      const measured = await measure(page, benchPage, site.origin + benchPage.path, peers, rounds);
      measurements.push(measured);
      log(
        `${benchPage.name}: ${measured.ratio} ×, ${measured.found}/${measured.actionable} listed${measured.missed.length ? `, not ${measured.missed.join(' ')}` : ''}`,
      );
      await page.close();
    }
    return {
      figures: figuresOf(measurements),
      raw: { all: measurements, browserUse: peers.browserUse !== null, stagehand: peers.stagehand !== null },
    };
  } finally {
    peers.browserUse?.stop();
    await browser.close();
    await site.close();
  }
};
