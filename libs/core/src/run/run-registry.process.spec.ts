import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { RunRegistry } from './run-registry.ts';

/** Maximum heap growth in MB with minor collections only. 100 live entries of 10 kB are replaced all the time. */
function maxRetainedMb(collection: 'Map' | 'RunRegistry'): number {
  const code = `
    import { RunRegistry } from ${JSON.stringify(join(import.meta.dirname, 'run-registry.ts'))};
    const entries = new ${collection}();
    let next = 0;
    const pass = (count) => {
      for (const end = next + count; next < end; next += 1) {
        entries.set(next, { page: new Array(1250).fill(next) });
        entries.delete(next - 100);
      }
    };
    pass(1000);
    gc({ type: 'major' });
    const baseline = process.memoryUsage().heapUsed;
    let max = 0;
    for (let round = 0; round < 20; round += 1) {
      pass(500);
      gc({ type: 'minor' });
      max = Math.max(max, process.memoryUsage().heapUsed - baseline);
    }
    process.stdout.write(String(max / 1e6));`;
  const flags = ['--expose-gc', '--experimental-transform-types', '--no-warnings', '--input-type=module'];
  return Number(execFileSync(process.execPath, [...flags, '-e', code], { encoding: 'utf8' }));
}

describe('RunRegistry', () => {
  it('is a map in insertion order', () => {
    const registry = new RunRegistry<string, { name: string }>();
    for (const name of ['anne', 'ben', 'cleo']) registry.set(name, { name });
    registry.set('anne', { name: 'another anne' });
    registry.delete('ben');
    registry.delete('unknown');
    expect(registry.size).toBe(2);
    expect(registry.get('anne')?.name).toBe('another anne');
    expect(registry.get('ben')).toBeUndefined();
    expect(registry.values().map(({ name }) => name)).toEqual(['another anne', 'cleo']);
  });

  it('releases deleted values that a Map retains', () => {
    expect(maxRetainedMb('RunRegistry')).toBeLessThan(maxRetainedMb('Map') / 4);
  });
});
