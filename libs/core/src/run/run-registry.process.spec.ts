import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { RunRegistry } from './run-registry.ts';

/** Megabytes that are in use after small collections alone, at most, while runs of ten kilobytes come and go, a hundred at a time. */
function mostHeld(collection: 'Map' | 'RunRegistry'): number {
  const code = `
    import { RunRegistry } from ${JSON.stringify(join(import.meta.dirname, 'run-registry.ts'))};
    const here = new ${collection}();
    let next = 0;
    const pass = (count) => {
      for (const end = next + count; next < end; next += 1) {
        here.set(next, { page: new Array(1250).fill(next) });
        here.delete(next - 100);
      }
    };
    pass(1000);
    gc({ type: 'major' });
    const begin = process.memoryUsage().heapUsed;
    let most = 0;
    for (let round = 0; round < 20; round += 1) {
      pass(500);
      gc({ type: 'minor' });
      most = Math.max(most, process.memoryUsage().heapUsed - begin);
    }
    process.stdout.write(String(most / 1e6));`;
  const flags = ['--expose-gc', '--experimental-transform-types', '--no-warnings', '--input-type=module'];
  return Number(execFileSync(process.execPath, [...flags, '-e', code], { encoding: 'utf8' }));
}

describe('a roster', () => {
  it('knows who is there, in the order of their coming', () => {
    const roster = new RunRegistry<string, { name: string }>();
    for (const name of ['anne', 'ben', 'cleo']) roster.set(name, { name });
    roster.set('anne', { name: 'another anne' });
    roster.delete('ben');
    roster.delete('nobody');
    expect(roster.size).toBe(2);
    expect(roster.get('anne')?.name).toBe('another anne');
    expect(roster.get('ben')).toBeUndefined();
    expect(roster.values().map(({ name }) => name)).toEqual(['another anne', 'cleo']);
  });

  it('lets go of who has left, where a map keeps many of them', () => {
    expect(mostHeld('RunRegistry')).toBeLessThan(mostHeld('Map') / 4);
  });
});
