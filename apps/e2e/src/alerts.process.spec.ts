import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './harness/bundles.ts';
import { promtool, testWithPromtool } from './harness/promtool.ts';

const readText = (path: string) => readFile(join(root, path), 'utf8');
const rules = join(root, 'charts/pilothouse/files/rules.yaml');
const tests = join(root, 'charts/pilothouse/files/rules.test.yaml');
const captures = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, group = '']) => group);
const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

describe('alerts', () => {
  test('each have a test and a runbook, and no runbook is unused', async () => {
    const pages = ['docs/operations/runbooks.md'];
    const [rulesText = '', testsText = '', ...runbooks] = await Promise.all(
      ['charts/pilothouse/files/rules.yaml', 'charts/pilothouse/files/rules.test.yaml', ...pages].map(readText),
    );
    const alerts = captures(rulesText, /- alert: (\w+)/g);
    expect(alerts.length).toBeGreaterThan(10);
    expect(sorted(alerts)).toHaveLength(alerts.length);
    expect(sorted(captures(testsText, /^ {2}- name: (\w+)$/gm))).toEqual(sorted(alerts));
    const headings = runbooks.flatMap((text, index) =>
      captures(text, /^### (\w+)$/gm).map((alert) => `${pages[index]}#${alert.toLowerCase()}`),
    );
    const links = captures(rulesText, /runbook: (\S+)$/gm);
    expect(links.map((link) => link.split('#')[1])).toEqual(alerts.map((alert) => alert.toLowerCase()));
    expect(sorted(links)).toEqual(sorted(headings));
  });

  test('alerts and the dashboard use only documented metrics', async () => {
    const documented = new Set(captures(await readText('docs/reference/metrics.md'), /^\| `(pilothouse_\w+)`/gm));
    for (const path of ['charts/pilothouse/files/rules.yaml', 'charts/pilothouse/files/dashboard.json']) {
      const metricNames = sorted(
        captures(await readText(path), /\b(pilothouse_\w+)/g).map((name) => name.replace(/_(bucket|sum|count)$/, '')),
      );
      expect(metricNames.length).toBeGreaterThan(10);
      expect(metricNames.filter((name) => !documented.has(name))).toEqual([]);
    }
  });

  test('the metrics of the fleet controller are documented, with their types', async () => {
    const source = await readText('apps/fleet/src/fleet.metrics.ts');
    const declared = [...source.matchAll(/new (Counter|Gauge|Histogram)\(\{\s*name: '(\w+)'/g)].map(
      ([, type = '', name = '']) => `${name} ${type.toLowerCase()}`,
    );
    const rows = [...(await readText('docs/reference/metrics.md')).matchAll(/^\| `(pilothouse_fleet_\w+)` \| (\w+)/gm)];
    expect(sorted(rows.map(([, name, type]) => `${name} ${type}`))).toEqual(sorted(declared));
  });

  // Debian: package prometheus. scripts/test reports when it is missing.
  testWithPromtool('pass promtool check rules and promtool test rules', async () => {
    expect(await promtool(['check', 'rules', rules])).toMatchObject({ code: 0 });
    const testResult = await promtool(['test', 'rules', tests]);
    expect({ ...testResult, output: testResult.code === 0 ? '' : testResult.output }).toEqual({ code: 0, output: '' });
  });
});
