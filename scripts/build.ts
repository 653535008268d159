/**
 * Bundles every app that has a `src/main.ts` into `dist/<app>/main.js`: workspace packages are inlined, npm packages stay outside.
 * Usage: `node scripts/build.ts [app ...]`.
 */
import { build, type Plugin } from 'esbuild';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** npm packages are resolved at run time from node_modules; only this repository's own packages go into the bundle. */
const workspacesOnly: Plugin = {
  name: 'workspaces-only',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path.startsWith('@pilothouse/') ? undefined : { path, external: true },
    );
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
  outdir: join(root, 'dist'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  sourcemap: 'linked',
  keepNames: true,
  logLevel: 'warning',
  plugins: [workspacesOnly],
  tsconfig: join(root, 'tsconfig.base.json'),
  banner: { js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);" },
});
