import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundleOf } from '../harness/bundles.ts';

/** A route in the manifest of the client bundle: URLs of its scripts. */
interface ManifestRoute {
  readonly parentId?: string;
  readonly module: string;
  readonly imports: readonly string[];
}

interface Manifest {
  readonly entry: { readonly module: string; readonly imports: readonly string[] };
  readonly routes: Readonly<Record<string, ManifestRoute>>;
}

const PREFIX = 'window.__reactRouterManifest=';

let client: string;
let manifest: Manifest;
let manifestUrl: string;
beforeAll(async () => {
  client = join(dirname(await bundleOf('console')), 'client');
  const name = (await readdir(join(client, 'assets'))).find((file) => /^manifest-.*\.js$/.test(file));
  manifestUrl = `/assets/${name}`;
  const text = await readFile(join(client, manifestUrl), 'utf8');
  manifest = JSON.parse(text.slice(PREFIX.length).replace(/;\s*$/, '')) as Manifest;
});

/** A route and its layouts. */
function routesOf(id: string): ManifestRoute[] {
  const route = manifest.routes[id];
  if (!route) throw new Error(`No route ${id} in the manifest`);
  return [...(route.parentId === undefined ? [] : routesOf(route.parentId)), route];
}

/** Scripts that a browser downloads to show a page. */
function scriptsOf(id: string): Promise<Buffer[]> {
  const routes = routesOf(id);
  const urls = new Set([
    manifestUrl,
    manifest.entry.module,
    ...manifest.entry.imports,
    ...routes.flatMap(({ module, imports }) => [module, ...imports]),
  ]);
  const scripts = [...urls].filter((url) => url.endsWith('.js'));
  return Promise.all(scripts.map((url) => readFile(join(client, url))));
}

test.each([
  ['runs/runs.route', 200],
  ['run/run.route', 200],
])('the scripts of %s have at most %i kB in gzip', async (id, maxKilobytes) => {
  const bytes = (await scriptsOf(id)).reduce((sum, script) => sum + gzipSync(script).length, 0);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(maxKilobytes * 1000);
});

test('no page contains zod', async () => {
  const withZod: string[] = [];
  for (const id of Object.keys(manifest.routes))
    if ((await scriptsOf(id)).some((script) => script.includes('ZodError'))) withZod.push(id);
  expect(withZod).toEqual([]);
});
