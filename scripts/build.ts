/**
 * Bundles every app with a `src/main.ts`, and the entry points below, into `dist/<app>/main.js`. Workspace packages are inlined. npm
 * packages are inlined only for processes that start often.
 * Usage: `node scripts/build.ts [app ...]`.
 */
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { findPackageJSON, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { copyMinified, escapeNonLatin1, MINIFY_OPTIONS, writeAtomically } from './lib/lean-bundle.ts';
import { pageScripts } from './lib/page-scripts.ts';
import { precompress } from './lib/precompress.ts';

const root = join(import.meta.dirname, '..');

const out = join(root, 'dist');

/**
 * Returns whether `dist/` resolves the same version. A bundle resolves its packages from `dist/`, so a package that npm nested under a
 * workspace would be replaced by the version at the root.
 */
function sameFromDist(path: string, importer: string): boolean {
  if (path.startsWith('node:') || importer === '') return true;
  const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/');
  const find = (base: string) => findPackageJSON(name, pathToFileURL(base));
  return find(importer) === find(join(out, 'main.js'));
}

/** npm packages are resolved at run time from node_modules; only this repository's own packages go into the bundle. */
const inlineWorkspaces: Plugin = {
  name: 'workspaces-only',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      if (kind === 'entry-point' || path.startsWith('@pilothouse/')) return undefined;
      if (sameFromDist(path, importer)) return { path, external: true };
      return { errors: [{ text: `${path} resolves to another version from dist/; name it in the root package.json` }] };
    });
  },
};

/** Resolved at run time: these packages have data files or native code. */
const externalPackages = new Set(['playwright-core', 'sharp']);

function isInstalled(name: string, importer: string): boolean {
  try {
    return isBuiltin(name) || findPackageJSON(name, pathToFileURL(importer)) !== undefined;
  } catch {
    return false;
  }
}

/**
 * npm packages are inlined, too. A worker starts in 0.35 s of a core instead of 0.55, the rest of which was spent on finding the files of its
 * packages. Optional packages that are not installed are resolved at run time.
 */
const inlinePackages: Plugin = {
  name: 'everything',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      if (kind === 'entry-point' || path.startsWith('node:')) return undefined;
      const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/');
      return externalPackages.has(name) || !isInstalled(name, importer) ? { path, external: true } : undefined;
    });
  },
};

/** Entry points that start once for each pod. Their npm packages are inlined. */
const inlinedApps: ReadonlySet<string> = new Set(['worker', 'load-generator', 'site']);

/** Other entry points: name in `dist/` → source. */
const otherEntryPoints: Record<string, string> = {
  console: 'apps/console/server/main.ts',
  site: 'libs/testing/src/demo-site/site-cli.ts',
  'load-generator': 'apps/worker/src/load-generator/main.ts',
};

/** Threads of an app: name beside its `main.js` → source. */
const threads: Record<string, Record<string, string>> = {
  api: { 'workflow.thread': 'apps/api/src/http/workflow.thread.ts' },
};

/** Processes that an app starts, whose npm packages have native code: name beside its `main.js` → source. */
const processes: Record<string, Record<string, string>> = {
  worker: {
    'desktop-session': 'libs/surface/desktop/src/session-process.ts',
    'desktop-slot': 'libs/surface/desktop/src/slot-process.ts',
  },
};

const names = process.argv.slice(2);
const entries = [
  ...readdirSync(join(root, 'apps')).map((app) => [app, `apps/${app}/src/main.ts`] as const),
  ...Object.entries(otherEntryPoints),
]
  .filter(([name, file]) => existsSync(join(root, file)) && (names.length === 0 || names.includes(name)))
  .map(([name, file]) => ({ name, file }));

const entryPoint = ({ name, file }: (typeof entries)[number]) => [
  { in: join(root, file), out: `${name}/main` },
  ...Object.entries(threads[name] ?? {}).map(([thread, source]) => ({
    in: join(root, source),
    out: `${name}/${thread}`,
  })),
];

const processEntries = entries.flatMap(({ name }) =>
  Object.entries(processes[name] ?? {}).map(([file, source]) => ({ in: join(root, source), out: `${name}/${file}` })),
);

const options: BuildOptions = {
  outdir: out,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  sourcemap: 'linked',
  // Stack traces need only positions. The source text would double the size of a bundle.
  sourcesContent: false,
  logLevel: 'warning',
  tsconfig: join(root, 'tsconfig.base.json'),
  banner: { js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);" },
};
const [inlined, plain] = [true, false].map((is) =>
  entries.filter(({ name }) => name !== 'console' && inlinedApps.has(name) === is),
);
const pages = entries.filter(({ name }) => name === 'console');
await Promise.all([
  bundle(
    {
      ...options,
      ...MINIFY_OPTIONS,
      entryPoints: inlined?.flatMap(entryPoint),
      plugins: [inlinePackages, pageScripts],
    },
    escapeNonLatin1,
  ),
  bundle({
    ...options,
    entryPoints: [...(plain?.flatMap(entryPoint) ?? []), ...processEntries],
    plugins: [inlineWorkspaces, pageScripts],
  }),
  // Minified for the size of the server image; includes its packages.
  bundle({
    ...options,
    entryPoints: pages.flatMap(entryPoint),
    plugins: [inlinePackages],
    minify: true,
    keepNames: true,
    sourcemap: false,
  }),
  pages.length > 0 ? buildPages() : undefined,
]);
// Half of the memory of Playwright in a worker was source text.
if (entries.some(({ name }) => name === 'worker'))
  copyMinified(join(root, 'node_modules/playwright-core'), join(out, 'worker/node_modules/playwright-core'));

/** Replaces each file atomically, because other processes may start meanwhile. */
async function bundle(buildOptions: BuildOptions, transform = (code: string) => code): Promise<void> {
  const { outputFiles = [] } = await build({ ...buildOptions, write: false });
  for (const { path, text } of outputFiles)
    writeAtomically(path, (temporaryPath) => writeFileSync(temporaryPath, transform(text)));
}

/** Builds the client and server of the console with React Router. */
async function buildPages(): Promise<void> {
  const bin = join(root, 'node_modules/@react-router/dev/bin.cjs');
  for (const part of ['client', 'server']) rmSync(join(out, 'console', part), { recursive: true, force: true });
  // Overrides the value of a test, with which React would build for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(process.execPath, [bin, 'build', join(root, 'apps/console')], { cwd: root, env });
  precompress(join(out, 'console/client'));
}
