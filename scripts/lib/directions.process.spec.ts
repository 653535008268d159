import type { ICruiseResult } from 'dependency-cruiser';
import report from './directions-reporter.ts';
import { configuration, runOver, type Sources } from './source-tree.ts';

interface Config {
  forbidden: { name: string }[];
}

/** Rule → a file that breaks it and what that file imports. */
const illegal: Record<string, [file: string, imports: string][]> = {
  'no-circles': [['libs/core/src/a.ts', './b.ts']],
  resolvable: [
    ['libs/core/src/lost.ts', './nowhere.ts'],
    ['apps/worker/src/root.ts', '@pilothouse/core'],
    ['apps/worker/src/contract-root.ts', '@pilothouse/contract'],
  ],
  'contract-only-zod': [
    ['libs/contract/src/io.ts', 'node:fs'],
    ['libs/contract/src/up.ts', '@pilothouse/core/index'],
  ],
  'core-to-contract': [['libs/core/src/up.ts', '@pilothouse/infra-db']],
  'core-no-io': [
    ['libs/core/src/file.ts', 'node:fs/promises'],
    ['libs/core/src/net.ts', 'net'],
    ['libs/core/src/child.ts', 'node:child_process'],
  ],
  'libs-not-apps': [['libs/infra/db/src/up.ts', '../../../../apps/api/src/main.ts']],
  'client-to-contract': [['libs/client/src/up.ts', '@pilothouse/core/index']],
  'mcp-to-client': [['libs/mcp/src/up.ts', '@pilothouse/infra-db']],
  'ui-to-contract': [['libs/ui/kit/src/up.ts', '@pilothouse/client']],
  'console-through-the-api': [['apps/console/app/db.ts', '@pilothouse/infra-db']],
  'adapters-to-core': [['libs/infra/db/src/client.ts', '@pilothouse/client']],
  'no-sibling-adapters': [
    ['libs/infra/queue/src/sibling.ts', '@pilothouse/infra-db'],
    ['libs/infra/fault/src/sibling.ts', '@pilothouse/infra-db'],
    ['libs/surface/browser/src/sibling.ts', '@pilothouse/infra-queue'],
    ['libs/surface/page-elements/src/sibling.ts', '@pilothouse/surface-browser'],
  ],
  'page-elements-only-in-surfaces': [['apps/worker/src/elements.ts', '@pilothouse/surface-page-elements']],
  'no-sibling-apps': [['apps/worker/src/sibling.ts', '../../api/src/main.ts']],
  'surface-only-in-worker': [['apps/api/src/surface.ts', '@pilothouse/surface-browser']],
  'worker-not-trusted': [
    ['apps/worker/src/db.ts', '@pilothouse/infra-db'],
    ['apps/worker/src/client.ts', '@pilothouse/client'],
  ],
  'model-only-in-api-and-jobs': [
    ['apps/fleet/src/model.ts', '@pilothouse/model'],
    ['libs/infra/queue/src/model.ts', '@pilothouse/model'],
  ],
  'kube-only-in-fleet-and-jobs': [['apps/api/src/kube.ts', '@pilothouse/infra-kube']],
  'generated-client-only-in-db': [['apps/api/src/row.ts', '../../../libs/infra/db/src/generated/client.ts']],
  'vendor @prisma': [['apps/api/src/prisma.ts', '@prisma/client']],
  'vendor prisma': [['apps/cli/src/prisma.ts', 'prisma']],
  'vendor pg': [['apps/api/src/pg.ts', 'pg']],
  'vendor ioredis': [['apps/api/src/redis.ts', 'ioredis']],
  'vendor bullmq': [['libs/infra/stream/src/bullmq.ts', 'bullmq']],
  'vendor minio': [['apps/api/src/minio.ts', 'minio']],
  'vendor @kubernetes': [['apps/api/src/kubernetes.ts', '@kubernetes/client-node']],
  'vendor playwright-core': [['apps/worker/src/playwright.ts', 'playwright-core']],
  'vendor pino': [['apps/api/src/pino.ts', 'pino']],
  'vendor sharp': [['apps/worker/src/sharp.ts', 'sharp']],
  'vendor x11': [['apps/worker/src/x11.ts', 'x11']],
  'vendor dbus-next': [['apps/worker/src/dbus.ts', 'dbus-next']],
  'vendor @nut-tree-fork': [['apps/worker/src/nut.ts', '@nut-tree-fork/nut-js']],
  'vendor openid-client': [['apps/api/src/openid.ts', 'openid-client']],
  'vendor @google/genai': [['libs/model/src/openai/gemini.ts', '@google/genai']],
  'vendor openai': [['apps/api/src/openai.ts', 'openai']],
  'vendor @anthropic-ai': [['libs/model/src/call-model.ts', '@anthropic-ai/sdk']],
  'testing-only-in-specs': [['apps/api/src/testing.ts', '@pilothouse/testing/index']],
  'through-the-face': [['apps/api/src/inner.ts', '../../../libs/infra/db/src/store.ts']],
  'not-through-the-own-face': [['libs/infra/db/src/self.ts', './index.ts']],
};

const packages = {
  contract: 'libs/contract',
  core: 'libs/core',
  client: 'libs/client',
  testing: 'libs/testing',
  'infra-db': 'libs/infra/db',
  'infra-queue': 'libs/infra/queue',
  'infra-link': 'libs/infra/link',
  'infra-fault': 'libs/infra/fault',
  'infra-kube': 'libs/infra/kube',
  'surface-browser': 'libs/surface/browser',
  'surface-page-elements': 'libs/surface/page-elements',
  model: 'libs/model',
};
const vendors = [
  'zod',
  'pg',
  'ioredis',
  'bullmq',
  'minio',
  'pino',
  'sharp',
  'x11',
  'dbus-next',
  '@nut-tree-fork/nut-js',
  'prisma',
  'playwright-core',
  'openai',
  'openid-client',
  '@google/genai',
  '@anthropic-ai/sdk',
  '@prisma/client',
  '@kubernetes/client-node',
];
const empty = 'export const nothing = 0;\n';
const exportsOf = (name: string) =>
  ['core', 'contract', 'testing'].includes(name) ? { './*': './src/*.ts' } : { '.': './src/index.ts' };

/** Every workspace package, empty. Links are files that re-export the sources. */
const defaultSources: Sources = {
  'apps/api/src/main.ts': empty,
  'libs/infra/db/src/generated/client.ts': empty,
  'libs/core/src/b.ts': "import './a.ts';\n",
  ...Object.fromEntries(
    Object.entries(packages).flatMap(([name, folder]) => [
      [`${folder}/src/index.ts`, empty],
      [`${folder}/package.json`, JSON.stringify({ name: `@pilothouse/${name}`, exports: exportsOf(name) })],
    ]),
  ),
  ...Object.fromEntries(
    vendors.flatMap((name) => [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' })],
      [`node_modules/${name}/index.js`, ''],
    ]),
  ),
};

const legal: Sources = {
  'libs/contract/src/schema.ts': "import { z } from 'zod';\nexport const s = z;\n",
  'libs/core/src/decide.ts': "import '@pilothouse/contract/index';\n",
  'libs/core/src/decide.spec.ts': "import 'node:fs';\nimport '@pilothouse/testing/index';\nimport './decide.ts';\n",
  'libs/infra/db/src/store.ts':
    "import '@pilothouse/core/index';\nimport '@prisma/client';\nimport './generated/client.ts';\n",
  'apps/worker/src/run.ts': "import '@pilothouse/surface-browser';\nimport '@pilothouse/infra-link';\n",
  'apps/worker/src/fault.ts': "import '@pilothouse/infra-fault';\n",
  'libs/infra/link/src/fault.ts': "import '@pilothouse/infra-fault';\n",
  'apps/fleet/src/kube.ts': "import '@pilothouse/infra-kube';\n",
  'apps/api/src/model.ts': "import '@pilothouse/model';\nimport '@pilothouse/infra-db';\n",
};

const links = Object.fromEntries(Object.entries(packages).map(([name, folder]) => [`@pilothouse/${name}`, folder]));
const cruise = (sources: Sources) => {
  const args = ['--config', configuration('.dependency-cruiser.mjs'), '--output-type', 'json', 'apps', 'libs'];
  return runOver({ ...defaultSources, ...sources }, 'depcruise', args, links) as ICruiseResult;
};
const violationsOf = ({ summary }: ICruiseResult) =>
  summary.violations.map(({ from, rule }) => `${rule.name}: ${from}`);

/** Two folders that import each other, by different files. */
const mutualFolders: Sources = {
  'apps/fleet/src/above/start.ts': "import '../below/start.ts';\n",
  'apps/fleet/src/above/end.ts': empty,
  'apps/fleet/src/below/start.ts': empty,
  'apps/fleet/src/below/end.ts': "import '../above/end.ts';\n",
};

const cases = Object.entries(illegal).flatMap(([rule, files]) =>
  files.map(([file, imports]) => ({ rule, file, imports })),
);
let result: ICruiseResult;
let reported: string[] = [];

beforeAll(() => {
  result = cruise({
    ...legal,
    ...mutualFolders,
    ...Object.fromEntries(cases.map(({ file, imports }) => [file, `import '${imports}';\n`])),
  });
  reported = violationsOf(result);
}, 240_000);

test.each(cases)('$rule refuses $imports in $file', ({ rule, file }) => {
  expect(reported).toContain(`${rule}: ${file}`);
});

test('a type counts as an import', () => {
  const file = 'apps/worker/src/type.ts';
  expect(
    violationsOf(
      cruise({ [file]: "import type { nothing } from '@pilothouse/infra-db';\nexport type N = typeof nothing;\n" }),
    ),
  ).toContain(`worker-not-trusted: ${file}`);
}, 240_000);

test('sibling folders that import each other are refused', () => {
  const { output, exitCode } = report(result);
  expect(output).toContain(
    [
      'no-circles-of-folders: apps/fleet/src: above → below → above',
      '    apps/fleet/src/above/start.ts → apps/fleet/src/below/start.ts',
      '    apps/fleet/src/below/end.ts → apps/fleet/src/above/end.ts',
    ].join('\n'),
  );
  expect(exitCode).toBe(1);
});

test('the report names the rule and the import of a violation', () => {
  expect(report(result).output).toContain('libs-not-apps: libs/infra/db/src/up.ts → apps/api/src/main.ts\n');
});

test('allowed imports have no violation', () => {
  expect(reported.filter((line) => Object.keys(legal).some((file) => line.endsWith(file)))).toEqual([]);
});

test('every rule rejects an illegal import', async () => {
  const { default: config }: { default: Config } = await import(configuration('.dependency-cruiser.mjs'));
  expect(config.forbidden.map(({ name }) => name).sort()).toEqual(Object.keys(illegal).sort());
});
