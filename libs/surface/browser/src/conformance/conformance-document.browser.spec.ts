import { readFile } from 'node:fs/promises';
import { conformanceDocument, groups } from './conformance-document.ts';
import { CONFORMANCE_FILE } from './write-conformance.ts';

test('bench/CONFORMANCE.md matches the tables; otherwise run node libs/surface/browser/src/conformance/write-conformance.ts', async () => {
  expect(await readFile(CONFORMANCE_FILE, 'utf8')).toBe(conformanceDocument(groups));
});

test.each(groups.map((group) => [group.name, group] as const))(
  '%s: names are unique, deviations are explained',
  (_, group) => {
    const names = group.cases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, ours, deviation } of group.cases)
      expect({ name, explained: deviation !== undefined }).toEqual({ name, explained: ours !== undefined });
  },
);
