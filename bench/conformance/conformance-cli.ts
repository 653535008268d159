/**
 * Tests every action on every kind of page in Chromium, prints the results and writes bench/PAGE-KINDS.md.
 * Usage: `node bench/conformance/conformance-cli.ts [words of a kind]`; with words only matching kinds are tested, and nothing is written.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActionServices } from '@pilothouse/core/ports/surface-action.port';
import { BrowserHost } from '@pilothouse/surface-browser';
import { servePages } from '../harness/element-pages.ts';
import type { Case, Kind } from './page-kind.ts';
import { native } from './native-pages.ts';
import { packages } from './widget-pages.ts';
import { patterns } from './aria-pages.ts';
import { framed, structure } from './structure-pages.ts';
import { documentOf, type Tried } from './conformance-report.ts';

const kinds = [...native, ...structure, ...patterns, ...packages];
const words = process.argv.slice(2).join(' ').toLowerCase();

/** Timeout of an action in milliseconds. */
const ACTION_MS = 5000;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
const file = join(folder, 'paper.txt');
await writeFile(file, 'paper');

const within = (ms: number): ActionServices => ({
  signal: new AbortController().signal,
  deadline: performance.now() + ms,
  log: silent,
  guard: () => {},
  reveal: async (text) => text,
  file: async () => file,
});

async function attempt(host: BrowserHost, url: string, { ready }: Kind, { steps, then }: Case): Promise<string | null> {
  const surface = await host.open({ folder }, within(20_000));
  try {
    await surface.act({ action: 'navigate', url }, within(20_000));
    if (ready) await surface.expect({ visible: { css: ready, nth: 0 } }, within(10_000));
    for (const step of steps) await surface.act(step, within(ACTION_MS));
    await surface.expect(then, within(3000));
    return null;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).slice(0, 400);
  } finally {
    await surface.close();
  }
}

const ownPages = kinds.map((kind, index) => ({ path: `/kind-${index}`, html: kind.html ?? '' }));
const frames = Object.entries(framed).map(([path, html]) => ({ path, html }));
const server = await servePages([...ownPages, ...frames]);
const near = await servePages(frames);
for (const page of ownPages) {
  const crossOrigin = server.origin.replace('127.0.0.1', 'localhost');
  page.html = page.html.replaceAll('OTHER', crossOrigin).replaceAll('NEAR', near.origin);
}
const host = new BrowserHost();
const results: Tried[] = [];
try {
  for (const [index, kind] of kinds.entries()) {
    if (!kind.name.toLowerCase().includes(words)) continue;
    for (const testCase of kind.cases) {
      const wrong = await attempt(host, `${server.origin}${kind.path ?? `/kind-${index}`}`, kind, testCase);
      results.push({ kind, case: testCase, wrong });
      process.stdout.write(
        `${wrong === null ? '✓' : '✗'} ${kind.name}: ${testCase.name}${wrong ? `\n    ${wrong}` : ''}\n`,
      );
    }
  }
} finally {
  await host.close();
  await Promise.all([server.close(), near.close()]);
  await rm(folder, { recursive: true, force: true });
}

const passed = results.filter(({ wrong }) => wrong === null).length;
process.stdout.write(`${passed} of ${results.length} (${((100 * passed) / results.length).toFixed(1)} %)\n`);
if (words === '') await writeFile(join(import.meta.dirname, '../../bench/PAGE-KINDS.md'), documentOf(results));
process.exitCode = passed / results.length < 0.95 ? 1 : 0;
