import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { changedFailpoints, selectAffected } from './affected-specs.ts';
import { smokeSpecs } from './smoke-specs.ts';
import { readSourceGraph, type SourceGraph } from './source-graph.ts';

const root = join(import.meta.dirname, '../..');

const graph: SourceGraph = new Map([
  ['libs/core/src/retry.ts', new Set<string>()],
  ['libs/core/src/retry.spec.ts', new Set(['libs/core/src/retry.ts'])],
  ['apps/api/src/runs.ts', new Set(['libs/core/src/retry.ts'])],
  ['apps/api/src/runs.db.spec.ts', new Set(['apps/api/src/runs.ts', 'apps/api/src/page.html'])],
  ['apps/api/src/keys.db.spec.ts', new Set<string>()],
  ['apps/e2e/src/demo.e2e.spec.ts', new Set<string>()],
  ['apps/e2e/src/docs.e2e.spec.ts', new Set(['docs/guides/'])],
  ['apps/cli/src/a.process.spec.ts', new Set<string>()],
  ['apps/cli/src/b.process.spec.ts', new Set<string>()],
]);
const specs = [...graph.keys()].filter((file) => file.endsWith('.spec.ts'));
const smoke = ['apps/e2e/src/demo.e2e.spec.ts'];
const select = (...changed: string[]) => [...selectAffected(graph, specs, changed, smoke).selected].toSorted();

const always = ['apps/e2e/src/demo.e2e.spec.ts', 'libs/core/src/retry.spec.ts'];

test.each([
  ['a source', 'libs/core/src/retry.ts', ['apps/api/src/runs.db.spec.ts']],
  ['a file that a spec reads', 'apps/api/src/page.html', ['apps/api/src/runs.db.spec.ts']],
  ['a file in a folder that a spec reads', 'docs/guides/start.md', ['apps/e2e/src/docs.e2e.spec.ts']],
  [
    'a file that nothing names',
    'apps/cli/src/template.txt',
    ['apps/cli/src/a.process.spec.ts', 'apps/cli/src/b.process.spec.ts'],
  ],
  ['a document', 'apps/cli/README.md', []],
  [
    'the migrations',
    'prisma/migrations/1/migration.sql',
    ['apps/api/src/keys.db.spec.ts', 'apps/api/src/runs.db.spec.ts'],
  ],
])('%s selects the specs that it reaches, all unit specs and the smoke specs', (_, changed, affected) => {
  expect(select(changed)).toEqual([...always, ...affected].toSorted());
});

test.each([
  [['package-lock.json'], 'package-lock.json changed'],
  [
    ['libs/core/src/retry.ts', 'docs/guides/start.md', 'apps/cli/src/template.txt'],
    'the change affects 4 of 6 spec files',
  ],
])('%j selects all specs', (changed, reason) => {
  const { selected, fullRunReason } = selectAffected(graph, specs, changed, smoke);
  expect([...selected]).toEqual(specs);
  expect(fullRunReason).toBe(reason);
});

test('finds the failpoints of changed sources', () => {
  const sources: Record<string, string> = {
    'apps/worker/src/run.ts': "await failpoint('worker.opened');\nfailpoint('link.append-sent');",
    'apps/worker/src/run.spec.ts': "failpoint('worker.accepted')",
  };
  expect(changedFailpoints(Object.keys(sources), (file) => sources[file] ?? '')).toEqual([
    'worker.opened',
    'link.append-sent',
  ]);
});

test('every smoke spec exists', () => {
  expect(Object.values(smokeSpecs).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test('the graph of this repository has imports, packages, paths in strings and folders', () => {
  const sources = readSourceGraph(root);
  const used = (file: string) => [...(sources.get(file) ?? [])];
  expect(used('scripts/lib/affected-specs.process.spec.ts')).toContain('scripts/lib/smoke-specs.ts');
  expect(used('apps/worker/src/run/step-runner.ts')).toContain('libs/core/src/workflow/step-retry.ts');
  expect(used('apps/e2e/src/chaos/chaos-suite.chaos.spec.ts')).toContain('apps/e2e/src/chaos/chaos-cli.ts');
  expect(used('apps/e2e/src/harness/stack.ts')).toContain('libs/infra/embedded/src/index.ts');
});
