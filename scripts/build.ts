/**
 * Bundles every app that has a `src/main.ts` into `dist/<app>/main.js`: workspace packages are inlined, npm packages stay outside.
 * Usage: `node scripts/build.ts [app ...]`.
 */
import { build, type Plugin } from 'esbuild';
import { existsSync, readdirSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');

const out = join(root, 'dist');

/**
 * A bundle resolves its packages from `dist/`, so a package that npm nested under a workspace, because another version stands at
 * the root, would silently be the wrong one.
 */
function sameFromDist(path: string, importer: string): boolean {
  if (path.startsWith('node:') || importer === '') return true;
  const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/');
  const find = (from: string) => findPackageJSON(name, pathToFileURL(from));
  return find(importer) === find(join(out, 'main.js'));
}

/** npm packages are resolved at run time from node_modules; only this repository's own packages go into the bundle. */
const workspacesOnly: Plugin = {
  name: 'workspaces-only',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      if (kind === 'entry-point' || path.startsWith('@pilothouse/')) return undefined;
      if (sameFromDist(path, importer)) return { path, external: true };
      return { errors: [{ text: `${path} resolves to another version from dist/; name it in the root package.json` }] };
    });
  },
};

/** Entry points that are not an app: name in `dist/` → source. */
const extra: Record<string, string> = { site: 'libs/testing/src/site/main.ts' };

const wanted = process.argv.slice(2);
const entries = [
  ...readdirSync(join(root, 'apps')).map((app) => [app, `apps/${app}/src/main.ts`] as const),
  ...Object.entries(extra),
]
  .filter(([name, file]) => existsSync(join(root, file)) && (wanted.length === 0 || wanted.includes(name)))
  .map(([name, file]) => ({ in: join(root, file), out: `${name}/main` }));

await build({
  entryPoints: entries,
  outdir: out,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  sourcemap: 'linked',
  logLevel: 'warning',
  plugins: [workspacesOnly],
  tsconfig: join(root, 'tsconfig.base.json'),
  banner: { js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);" },
});
