/**
 * Overhead of Pilothouse for ten steps on the demo site. The peer is a plain Playwright script on a warm browser with a
 * new context per round, alternating.
 */
import type { Browser } from 'playwright-core';
import { atMost, forSize, plain, type Bench } from '../harness/bench.ts';
import { launchChromium, VIEWPORT } from '../harness/launch-chromium.ts';
import { BenchInstallation } from '../harness/bench-installation.ts';
import { median, round, seriesOf } from '../harness/statistics.ts';
import { account, ledger, loginSteps, timeOf } from '../harness/bench-demo-site.ts';
import { rest } from '../harness/settle.ts';

const MESSAGE = 'How long does the quay stay open?';
const ANSWER = 'main, body';

/** Milliseconds for the worker to prepare its next context. */
const REST_MS = 700;

const steps = (site: string) => [
  ...loginSteps(site),
  { action: 'navigate', url: `${site}/contact/frame` },
  { action: 'fill', target: { label: 'Your name' }, text: 'Robin' },
  { action: 'selectOption', target: { label: 'About' }, option: 'A delivery' },
  { action: 'fill', target: { label: 'Message' }, text: MESSAGE },
  { action: 'click', target: { role: 'button', name: 'Send message' } },
  { action: 'extract', target: { css: ANSWER, nth: 0 }, value: {} },
];

async function script(browser: Browser, site: string): Promise<() => Promise<void>> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  await page.goto(`${site}/login`);
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password').fill(account.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/catalogue');
  await page.goto(`${site}/contact/frame`);
  await page.getByLabel('Your name').fill('Robin');
  await page.getByLabel('About').selectOption('A delivery');
  await page.getByLabel('Message').fill(MESSAGE);
  await page.getByRole('button', { name: 'Send message' }).click();
  await page.locator(ANSWER).first().innerText();
  return () => context.close();
}

/** First request of an existing page: the part of Playwright and Chromium. */
async function warmPage(browser: Browser, site: string): Promise<number> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  await rest(REST_MS);
  const { first } = await measure(site, async () => {
    await page.goto(`${site}/login`);
    return () => context.close();
  });
  return first;
}

/** One round, in milliseconds from the request: to the first page, to the message at the site, to the end. */
interface Round {
  /** Start time by the clock of this machine. */
  readonly began: number;
  readonly first: number;
  /** Null when no message was sent. */
  readonly received: number | null;
  readonly ended: number;
}

async function measure(site: string, work: () => Promise<() => Promise<void>>): Promise<Round> {
  const { last } = await ledger(site, 0);
  const startedAt = Date.now();
  const startMs = performance.now();
  const cleanUp = await work();
  const ended = performance.now() - startMs;
  await cleanUp();
  const { entries } = await ledger(site, last);
  const first = entries.find(({ kind }) => kind === 'visit');
  const received = entries.find(({ kind }) => kind === 'contact');
  if (!first) throw new Error('The site did not see the page');
  return {
    began: startedAt,
    first: timeOf(first) - startedAt,
    received: received ? timeOf(received) - startedAt : null,
    ended,
  };
}

/** Start of the first step, from its end event and duration. @returns milliseconds since 1970 */
function firstAction(events: Awaited<ReturnType<BenchInstallation['client']['events']>>): number {
  const completed = events.find(({ type }) => type === 'step.completed');
  return Date.parse(completed?.at ?? '') - Number((completed?.data as { durationMs?: number } | undefined)?.durationMs);
}

export const overhead: Bench = async (options) => {
  const rounds = forSize(options, { smoke: 1, short: 20, full: 60 });
  const installation = await BenchInstallation.start(options);
  const browser = await launchChromium();
  try {
    const site = await installation.site();
    await installation.addWorker(2);
    const body = { steps: steps(site), capture: { screenshots: 'none' } };
    let last = '';
    const run = async () => {
      const { id } = await installation.client.submit(body);
      last = id;
      const endedRun = await installation.client.waitForEnd(id);
      if (endedRun.status !== 'completed')
        throw new Error(`The run is ${endedRun.status}: ${JSON.stringify(endedRun.error)}`);
      return () => Promise.resolve();
    };
    const rest2 = () => rest(REST_MS);
    for (let turn = 0; turn < 3; turn += 1) {
      await measure(site, () => script(browser, site));
      await measure(site, run);
      await rest2();
    }
    const scriptRounds: Round[] = [];
    const through: Round[] = [];
    const warm: number[] = [];
    const claimDelays: number[] = [];
    const startDelays: number[] = [];
    for (let index = 0; index < rounds; index += 1) {
      scriptRounds.push(await measure(site, () => script(browser, site)));
      await rest2();
      const measurement = await measure(site, run);
      through.push(measurement);
      const events = await installation.client.events(last);
      claimDelays.push(Date.parse(events.find(({ type }) => type === 'run.assigned')?.at ?? '') - measurement.began);
      startDelays.push(firstAction(events) - measurement.began);
      await rest2();
      warm.push(await warmPage(browser, site));
      await rest2();
      options.log(`${index + 1}/${rounds}`);
    }
    const valuesOf = (list: Round[], key: keyof Round) => list.map((round) => round[key] ?? NaN);
    const ratio = (key: keyof Round) => round(median(valuesOf(through, key)) / median(valuesOf(scriptRounds, key)));
    const first = seriesOf(valuesOf(through, 'first'));
    const action = seriesOf(startDelays);
    return {
      figures: [
        atMost('10 steps, submit to completed, against the script', ratio('ended'), 1.15, '×'),
        atMost('the same, to the last request at the site', ratio('received'), 1.15, '×'),
        plain('the script, median', round(median(valuesOf(scriptRounds, 'ended')), 0), 'ms'),
        plain('the run, median', round(median(valuesOf(through, 'ended')), 0), 'ms'),
        atMost('submit to first action at the worker, p50', action.p50, 25, 'ms'),
        atMost('submit to first action at the worker, p95', action.p95, 60, 'ms'),
        plain('submit to first page at the site, p50', first.p50, 'ms'),
        plain('submit to first page at the site, p95', first.p95, 'ms'),
        plain('a warm page of Playwright to its first request at the site, p50', seriesOf(warm).p50, 'ms'),
        plain('submit to the claim of the run, p50', seriesOf(claimDelays).p50, 'ms'),
        plain('the script to its first page, p50', seriesOf(valuesOf(scriptRounds, 'first')).p50, 'ms'),
      ],
      raw: {
        script: {
          ended: seriesOf(valuesOf(scriptRounds, 'ended')),
          received: seriesOf(valuesOf(scriptRounds, 'received')),
          rounds: scriptRounds,
        },
        warmPage: { first: seriesOf(warm) },
        run: {
          ended: seriesOf(valuesOf(through, 'ended')),
          received: seriesOf(valuesOf(through, 'received')),
          first,
          claimed: seriesOf(claimDelays),
          action,
          rounds: through,
        },
      },
    };
  } finally {
    await browser.close();
    await installation.stop();
  }
};
