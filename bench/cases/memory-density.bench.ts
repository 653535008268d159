/** Memory (PSS) per run: many runs in one Chromium against one Chromium each, on the same page. */
import type { Browser } from 'playwright-core';
import { atMost, forSize, plain, type Bench, type Figure } from '../harness/bench.ts';
import { launchChromium, VIEWPORT } from '../harness/launch-chromium.ts';
import { BenchInstallation } from '../harness/bench-installation.ts';
import { pssOf, treeOf } from '../harness/process-memory.ts';
import { round } from '../harness/statistics.ts';
import { account, loginSteps, waitForever } from '../harness/bench-demo-site.ts';
import { rest, until } from '../harness/settle.ts';

const SIZES = [1, 5, 10];

/** Milliseconds before memory is read, so that pages settle. */
const REST_MS = 2_000;

async function inOneWorker(installation: BenchInstallation, site: string, size: number): Promise<number> {
  const worker = await installation.addWorker(10);
  const body = { steps: [...loginSteps(site), waitForever], capture: { screenshots: 'none' } };
  const runs = await Promise.all(Array.from({ length: size }, () => installation.client.submit(body)));
  for (const { id } of runs)
    await until('the run waits at the page', async () => (await installation.client.run(id)).currentStep === 4);
  await rest(REST_MS);
  const megabytes = pssOf(treeOf([worker.pid]));
  for (const { id } of runs) await installation.client.cancel(id);
  for (const { id } of runs) await installation.client.waitForEnd(id);
  await worker.stop();
  return megabytes;
}

async function oneEach(site: string, size: number): Promise<number> {
  const existingPids = new Set(treeOf([process.pid]));
  const browsers: Browser[] = [];
  for (let index = 0; index < size; index += 1) {
    const browser = await launchChromium();
    browsers.push(browser);
    const page = await (await browser.newContext({ viewport: VIEWPORT })).newPage();
    await page.goto(`${site}/login`);
    await page.getByLabel('E-mail').fill(account.email);
    await page.getByLabel('Password').fill(account.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL('**/catalogue');
    // The run also waits for a text.
    page
      .getByText(waitForever.condition.text)
      .waitFor({ timeout: 600_000 })
      .catch(() => undefined);
  }
  await rest(REST_MS);
  const megabytes = pssOf(treeOf([process.pid]).filter((pid) => !existingPids.has(pid)));
  await Promise.all(browsers.map((browser) => browser.close()));
  return megabytes;
}

export const density: Bench = async (options) => {
  const installation = await BenchInstallation.start({ ...options, slots: 10 });
  try {
    const site = await installation.site();
    const rounds: { size: number; worker: number; chromiums: number }[] = [];
    const sizes = forSize(options, { smoke: [1], short: SIZES, full: SIZES });
    const turns = forSize(options, { smoke: 1, short: 1, full: 3 });
    for (const size of sizes) {
      for (let turn = 0; turn < turns; turn += 1) {
        const chromiums = await oneEach(site, size);
        const worker = await inOneWorker(installation, site, size);
        rounds.push({ size, worker: round(worker, 0), chromiums: round(chromiums, 0) });
        options.log(`${size} runs: ${worker.toFixed(0)} MB in one worker, ${chromiums.toFixed(0)} MB one each`);
      }
    }
    const sum = (size: number, component: 'worker' | 'chromiums') =>
      rounds.filter((round) => round.size === size).reduce((total, round) => total + round[component], 0);
    const figures = sizes.map((size): Figure => {
      const ratio = sum(size, 'worker') / sum(size, 'chromiums');
      const name = `${size} runs in one worker, against one Chromium each`;
      return size === 10 ? atMost(name, ratio, 0.4, '×') : plain(name, round(ratio, 3), '×');
    });
    return { figures, raw: { megabytes: rounds, note: "the worker's Node process counts, the script's does not" } };
  } finally {
    await installation.stop();
  }
};
