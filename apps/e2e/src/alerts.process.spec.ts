import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './harness/bundles.ts';
import { promtool, testWithPromtool } from './harness/promtool.ts';

const read = (path: string) => readFile(join(root, path), 'utf8');
const rules = join(root, 'charts/pilothouse/files/rules.yaml');
const tests = join(root, 'charts/pilothouse/files/rules.test.yaml');
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);
const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

describe('alerts', () => {
  test('each has a test and a run-book, and no run-book is left over', async () => {
    const [rulesText, testsText, books] = await Promise.all([
      read('charts/pilothouse/files/rules.yaml'),
      read('charts/pilothouse/files/rules.test.yaml'),
      read('docs/runbooks.md'),
    ]);
    const alerts = all(rulesText, /- alert: (\w+)/g);
    expect(alerts.length).toBeGreaterThan(10);
    expect(sorted(alerts)).toHaveLength(alerts.length);
    expect(sorted(all(testsText, /^ {2}- name: (\w+)$/gm))).toEqual(sorted(alerts));
    expect(sorted(all(books, /^### (\w+)$/gm))).toEqual(sorted(alerts));
    expect(all(rulesText, /runbook: docs\/runbooks\.md#(\w+)/g)).toEqual(alerts.map((alert) => alert.toLowerCase()));
  });

  test('they and the dashboard ask only for metrics that there are', async () => {
    const documented = new Set(all(await read('docs/metrics.md'), /^\| `(pilothouse_\w+)`/gm));
    for (const path of ['charts/pilothouse/files/rules.yaml', 'charts/pilothouse/files/dashboard.json']) {
      const asked = sorted(
        all(await read(path), /\b(pilothouse_\w+)/g).map((name) => name.replace(/_(bucket|sum|count)$/, '')),
      );
      expect(asked.length).toBeGreaterThan(10);
      expect(asked.filter((name) => !documented.has(name))).toEqual([]);
    }
  });

  test('the metrics of the fleet controller are documented, with their types', async () => {
    const source = await read('apps/fleet/src/fleet.metrics.ts');
    const declared = [...source.matchAll(/new (Counter|Gauge|Histogram)\(\{\s*name: '(\w+)'/g)].map(
      ([, type = '', name = '']) => `${name} ${type.toLowerCase()}`,
    );
    const rows = [...(await read('docs/metrics.md')).matchAll(/^\| `(pilothouse_fleet_\w+)` \| (\w+)/gm)];
    expect(sorted(rows.map(([, name, type]) => `${name} ${type}`))).toEqual(sorted(declared));
  });

  // Debian has it in the package prometheus; scripts/test says when it is not there.
  testWithPromtool('pass promtool check rules and promtool test rules', async () => {
    expect(await promtool(['check', 'rules', rules])).toMatchObject({ code: 0 });
    const tested = await promtool(['test', 'rules', tests]);
    expect({ ...tested, said: tested.code === 0 ? '' : tested.said }).toEqual({ code: 0, said: '' });
  });
});
