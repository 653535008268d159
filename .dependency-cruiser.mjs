// Which package may import which: apps -> infra | surface | model -> core -> contract. Types count as imports.
// scripts/lib/directions.process.spec.ts writes an illegal import for every rule and sees it refused.
// scripts/lib/directions-reporter.ts adds one rule: sibling folders have no circle.

const refuse = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
// Spec files and their fixtures.
const spec = '[.](spec|fixture)[.]tsx?$';
const ioModules =
  '^(node:)?(fs|net|http|https|http2|tls|dgram|dns|child_process|cluster|worker_threads|os|process|readline|repl|sqlite|inspector)(/|$)';

// A vendor's package and the folder that owns it (specs may look at a server with the vendor's own client).
const vendors = {
  '@prisma': 'infra/db',
  prisma: 'infra/db',
  pg: 'infra/(db|embedded)',
  ioredis: 'infra/(queue|stream|embedded)',
  bullmq: 'infra/queue',
  minio: 'infra/blob',
  '@kubernetes': 'infra/kube',
  'playwright-core': 'surface/browser',
  pino: 'infra/telemetry',
  sharp: '(infra/image|surface/desktop)',
  x11: 'surface/desktop',
  'dbus-next': 'surface/desktop',
  '@nut-tree-fork': 'surface/desktop',
  'openid-client': 'infra/oidc',
  '@google/genai': 'model/src/gemini',
  openai: 'model/src/openai',
  '@anthropic-ai': 'model/src/anthropic',
};

// Library shared by the surfaces, not an adapter.
const pageElements = '^libs/surface/page-elements/';

export default {
  forbidden: [
    refuse('no-circles', 'A circle has no direction.', {}, { circular: true }),
    // Build output has no source file.
    refuse('resolvable', 'The import finds nothing.', {}, { couldNotResolve: true, pathNot: '^virtual:' }),
    refuse(
      'contract-only-zod',
      'The contract runs anywhere: it imports zod and nothing else.',
      { path: '^libs/contract/', pathNot: spec },
      { pathNot: ['^libs/contract/', '(^|/)node_modules/zod/'] },
    ),
    refuse(
      'core-to-contract',
      'Core knows only the contract.',
      { path: '^libs/core/' },
      { path: '^(apps|libs)/', pathNot: ['^libs/(core|contract)/', '^libs/testing/'] },
    ),
    refuse(
      'core-no-io',
      'Core decides and does no I/O: put the I/O into an adapter behind core/ports.',
      { path: '^libs/core/', pathNot: spec },
      { path: ioModules },
    ),
    refuse('libs-not-apps', 'A library never imports an app.', { path: '^libs/' }, { path: '^apps/' }),
    refuse(
      'client-to-contract',
      'The client knows only the contract.',
      { path: '^libs/client/', pathNot: spec },
      { path: '^(apps|libs)/', pathNot: '^libs/(client|contract)/' },
    ),
    refuse(
      'mcp-to-client',
      'The MCP server acts through the REST client: it has no rights but those of its key.',
      { path: '^libs/mcp/', pathNot: spec },
      { path: '^(apps|libs)/', pathNot: '^libs/(mcp|client|core|contract)/' },
    ),
    refuse(
      'ui-to-contract',
      'Primitives of pages know only the contract.',
      { path: '^libs/ui/', pathNot: spec },
      { path: '^(apps|libs)/', pathNot: '^libs/(ui|contract)/' },
    ),
    refuse(
      'console-through-the-api',
      'The console knows what the API answers, and nothing behind it.',
      { path: '^apps/console/', pathNot: spec },
      { path: '^libs/', pathNot: '^libs/(client|contract|core|ui/[^/]+|infra/(config|telemetry))/' },
    ),
    refuse(
      'adapters-to-core',
      'An adapter knows core and contract, no other library.',
      { path: '^libs/(infra|surface|model)/', pathNot: [spec, '/src/testing/'] },
      { path: '^libs/', pathNot: '^libs/(infra|surface|model|core|contract)/' },
    ),
    refuse(
      'no-sibling-adapters',
      'Adapters never import siblings: they meet at core/ports, an app puts them together. Failpoints are everywhere.',
      { path: '^libs/(infra|surface|model)/([^/]+)/', pathNot: spec },
      {
        path: '^libs/(infra|surface|model)/',
        pathNot: ['^libs/$1/$2/', '^libs/infra/fault/src/index[.]ts$', pageElements],
      },
    ),
    refuse(
      'page-elements-only-in-surfaces',
      'Only surfaces may import page-elements.',
      { pathNot: ['^libs/surface/', spec] },
      { path: pageElements },
    ),
    refuse(
      'no-sibling-apps',
      'Apps meet over the wire.',
      { path: '^apps/([^/]+)/' },
      // The route table of the console: the end-to-end tests visit every route.
      { path: '^apps/', pathNot: ['^apps/$1/', '^apps/console/app/routes[.]ts$'] },
    ),
    refuse(
      'surface-only-in-worker',
      'Only the worker operates surfaces.',
      { pathNot: ['^apps/worker/', '^libs/surface/', spec] },
      { path: '^libs/surface/' },
    ),
    refuse(
      'worker-not-trusted',
      'A worker opens hostile pages: of infra it gets link, egress, image, config, telemetry and fault only.',
      { path: '^apps/worker/', pathNot: spec },
      { path: '^libs/(infra/(?!(link|config|telemetry|fault|egress|image)/)|model/|client/)' },
    ),
    refuse(
      'model-only-in-api-and-jobs',
      'Model keys, budgets and prices are in one place.',
      { pathNot: ['^apps/(api|jobs)/', '^libs/model/', spec] },
      { path: '^libs/model/' },
    ),
    refuse(
      'kube-only-in-fleet-and-jobs',
      'Only the fleet controller and the trainers of the job runner make pods.',
      { pathNot: ['^apps/(fleet|jobs)/', '^libs/infra/kube/'] },
      { path: '^libs/infra/kube/' },
    ),
    refuse(
      'generated-client-only-in-db',
      'Nothing but infra/db sees a Prisma type.',
      { pathNot: '^libs/infra/db/' },
      { path: '^libs/infra/db/src/generated/' },
    ),
    ...Object.entries(vendors).map(([vendor, owner]) =>
      refuse(
        `vendor ${vendor}`,
        `The vendor is hidden in libs/${owner}.`,
        // Prisma's own configuration and scripts/ set the tools up; the viewer looks at the console for specs
        {
          path: '^(apps|libs)/',
          pathNot: [`^libs/${owner}/`, '^libs/testing/', '^apps/e2e/src/harness/console-page[.]ts$', spec],
        },
        { path: `(^|/)node_modules/${vendor}/` },
      ),
    ),
    refuse(
      'testing-only-in-specs',
      'libs/testing, and the testing folder of a library, are for spec files.',
      { path: '^(apps|libs)/', pathNot: [spec, '^libs/testing/', '/src/testing/'] },
      { path: '^libs/testing/|/src/testing/' },
    ),
    refuse(
      'through-the-face',
      'Another package is imported through its src/index.ts, by its workspace name. Core, contract and testing export each file.',
      { path: '^(apps|libs)/((?:infra|surface|model|ui)/[^/]+|[^/]+)/' },
      {
        path: '^(apps|libs)/.+/src/',
        pathNot: [
          '^$1/$2/',
          '^libs/((infra|surface|model|ui)/)?[^/]+/src/(testing/)?index[.]tsx?$',
          '^libs/(core|contract|testing)/src/(?!.*/testing/)',
          // Modules of page scripts need no Node.
          '^libs/surface/page-elements/src/page[.]ts$',
        ],
      },
    ),
    refuse(
      'not-through-the-own-face',
      'Inside a library import the file itself: going through the index makes circles.',
      { path: '^libs/((?:infra|surface|model|ui)/[^/]+|[^/]+)/' },
      { path: '^libs/$1/src/index[.]tsx?$' },
    ),
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/generated/'] },
    exclude: { path: '(^|/)(dist|[.]pilothouse|coverage)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mts', '.mjs', '.js', '.cjs', '.json', '.d.ts'],
    },
  },
};
