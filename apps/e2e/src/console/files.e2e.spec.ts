import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleOf } from '../harness/bundles.ts';
import { startConsole, type Console } from '../harness/console-process.ts';

/** Allowed share of the memory limit of the chart (384 Mi) at the start. */
const START_MB = 200;

describe('files of the console', () => {
  let console: Console;
  // No page is requested, so no API is needed.
  beforeAll(async () => (console = await startConsole('http://127.0.0.1:9')), 120_000);
  afterAll(() => console?.program.stop());

  test('are compressed at build time', async () => {
    const assets = join(dirname(await bundleOf('console')), 'client/assets');
    const scripts = (await readdir(assets)).filter((name) => name.endsWith('.js'));
    const sizes = await Promise.all(scripts.map(async (name) => ({ name, ...(await stat(join(assets, name))) })));
    const large = sizes.filter(({ size }) => size > 1_000);
    expect(large.length).toBeGreaterThan(20);
    for (const { name, size } of large) {
      const compressed = await readFile(join(assets, `${name}.br`));
      expect(compressed.length).toBeLessThan(size);
      const answer = await fetch(`${console.url}/assets/${name}`, { headers: { 'accept-encoding': 'br' } });
      expect(answer.headers.get('content-encoding')).toBe('br');
      expect(answer.headers.get('content-length')).toBe(String(compressed.length));
      await answer.arrayBuffer();
    }
  });

  test('need little memory at start', async () => {
    const status = await readFile(`/proc/${console.program.pid}/status`, 'utf8');
    const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
    expect(peak).toBeLessThan(START_MB);
  });
});
