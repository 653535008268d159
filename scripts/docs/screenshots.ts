/**
 * Takes the screenshots of the console for the documentation: ten pages, and an animation of a run.
 * Usage: `./scripts/up --detach`, then `node scripts/docs/screenshots.ts`. Needs Chromium on the PATH.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import sharp from 'sharp';

const root = join(import.meta.dirname, '../..');
const images = join(root, 'docs/images');
const state = join(root, '.pilothouse');
const key = readFileSync(join(state, 'secrets/admin.key'), 'utf8').trim();
const { urls } = JSON.parse(readFileSync(join(state, 'up.json'), 'utf8'));

/** Milliseconds between two frames of the animation, and their number at most. */
const FRAME_MS = 350;
const MAX_FRAMES = 40;

const pilothouse = (...args: string[]): string =>
  execFileSync('npx', ['pilothouse', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PASSWORD: 'harbour-demo' },
  });

const example = (name: string) => join(root, 'docs/examples', name);
const orderArgs = [
  ...['--input', `site_url=${urls.site}`, '--input', `purchase_order=@${example('purchase-order.pdf')}`],
  ...['--input-from-env', 'password=PASSWORD'],
];

pilothouse('workflows', 'apply', example('harbour-order.yaml'));
const runOf = (...args: string[]): string => {
  const printed = JSON.parse(pilothouse('run', ...args, '--json'));
  // With `--detach` the command prints only the run.
  return (printed.run ?? printed).id;
};
const finished = runOf('harbour-order', ...orderArgs, '--screenshots', 'before-and-after');

const browser = await chromium.launch({
  executablePath: execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim(),
});
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, baseURL: urls.console });
  await page.goto('/sign-in?with=key');
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await animateRun(page);
  await takePages(page);
} finally {
  await browser.close();
}

async function takePages(page: Page): Promise<void> {
  const pages: Record<string, string> = {
    'console-home': '/',
    'console-runs': '/runs',
    'console-run': `/runs/${finished}`,
    'console-live': '/live',
    'console-workflows': '/workflows',
    'console-workflow': '/workflows/harbour-order',
    'console-editor': '/workflows/harbour-order/edit',
    'console-run-workflow': '/workflows/harbour-order/run',
    'console-fleets': '/fleets',
    'console-settings': '/settings',
  };
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(path);
    await page.waitForLoadState('networkidle').catch(() => undefined);
    await delay(1_000);
    await sharp(await page.screenshot())
      .webp({ quality: 82 })
      .toFile(join(images, `${name}.webp`));
    console.log(`docs/images/${name}.webp`);
  }
}

/** Starts a run and records its page until it ends. */
async function animateRun(page: Page): Promise<void> {
  const id = runOf('harbour-order', ...orderArgs, '--screenshots', 'before-and-after', '--detach');
  await page.goto(`/runs/${id}`);
  const frames: Buffer[] = [];
  const isOver = () =>
    page
      .getByText(/^(Completed|Failed)/)
      .first()
      .isVisible();
  let remaining = 6;
  while (frames.length < MAX_FRAMES && remaining > 0) {
    const frame = await page.screenshot();
    frames.push(await sharp(frame).resize({ width: 960 }).png().toBuffer());
    if (await isOver()) remaining -= 1;
    await delay(FRAME_MS);
  }
  await sharp(frames, { join: { animated: true } })
    .webp({ quality: 70, loop: 0, delay: frames.map((_, index) => (index === frames.length - 1 ? 3_000 : FRAME_MS)) })
    .toFile(join(images, 'run.webp'));
  console.log(`docs/images/run.webp (${frames.length} frames)`);
}
