import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * New space in MB to which a configured process returns after it allocated much and then little, like after loading its modules. V8 shrinks
 * spaces only in full collections that it starts itself.
 */
async function restingSpace(surface: string): Promise<number> {
  const program = `
    import { configureHeap } from ${JSON.stringify(join(import.meta.dirname, 'v8-heap.ts'))};
    import { getHeapSpaceStatistics } from 'node:v8';
    configureHeap({ surface: '${surface}', isMany: false });
    const size = () => getHeapSpaceStatistics().find((one) => one.space_name === 'new_space').physical_space_size / 2 ** 20;
    let kept = [];
    const keep = (count) => {
      for (let index = 0; index < count; index += 1) kept.push({ index, list: [index] });
      return new Promise(setImmediate);
    };
    for (let round = 0; round < 10; round += 1) await keep(300_000);
    let least = size();
    for (let round = 0; round < 200 && least > 4; round += 1) {
      kept = [];
      await keep(30_000);
      least = Math.min(least, size());
    }
    console.log(least);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env['PATH'] },
  });
  return Number(stdout);
}

test('a worker with a browser shrinks its new space', async () =>
  expect(await restingSpace('browser')).toBeLessThanOrEqual(4));

test('other workers have it, for speed', async () => expect(await restingSpace('http')).toBeGreaterThan(8));
