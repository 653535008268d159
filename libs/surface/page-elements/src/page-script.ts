/**
 * Page scripts: modules that run in a page. `x.page.ts` is the entry and exports one function. `x.source.ts` beside it
 * exports the source of that function, which a program sends to the page. A production build replaces `x.source.ts` by
 * the finished source (`scripts/lib/page-scripts.ts`). From TypeScript sources, it is bundled on first use.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

const root = join(import.meta.dirname, '../../../..');
const cacheFolder = join(root, '.pilothouse/page-scripts');

const OPTIONS = {
  bundle: true,
  write: false,
  metafile: true,
  platform: 'browser',
  format: 'esm',
  target: 'esnext',
  minifyWhitespace: true,
  lineLimit: 200,
  legalComments: 'none',
  logLevel: 'silent',
  absWorkingDir: root,
  tsconfigRaw: {},
} as const satisfies BuildOptions;

/** Bundle in the cache. It is valid as long as its inputs are unchanged. */
interface CachedBundle {
  /** Digests of the inputs by path in the repository. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly source: string;
}

/** Returns a function that returns the source of a page script. @param sourceUrl URL of its `x.source.ts` */
export function pageScript(sourceUrl: string): () => string {
  let source: string | undefined;
  return () => (source ??= cachedSource(fileURLToPath(sourceUrl).replace(/\.source\.ts$/, '.page.ts')));
}

/** Bundles an entry `x.page.ts` and returns an expression. Its value is the function that the entry exports. */
export function bundlePageScript(entry: string): CachedBundle {
  // Only development and builds have esbuild.
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  const { outputFiles, metafile } = buildSync({ ...OPTIONS, entryPoints: [entry] });
  const code = outputFiles[0]?.text ?? '';
  const body = code.replace(/export\s*\{\s*([\w$]+)(?:\s+as\s+[\w$]+)?\s*\};?\s*$/, 'return $1;');
  if (body === code) throw new Error(`${entry} must export exactly one function.`);
  const inputs = Object.keys(metafile.inputs).map((path) => [path, digestOf(path)] as const);
  return { inputs: Object.fromEntries(inputs), source: `(() => { ${body} })()` };
}

function cachedSource(entry: string): string {
  const settings = createHash('sha256').update(JSON.stringify(OPTIONS)).update(entry).digest('hex').slice(0, 16);
  const file = join(cacheFolder, `${basename(entry)}-${settings}.json`);
  const cached = readCached(file);
  if (cached && Object.entries(cached.inputs).every(([path, digest]) => digestOf(path) === digest))
    return cached.source;
  const bundle = bundlePageScript(entry);
  mkdirSync(cacheFolder, { recursive: true });
  // Other processes may read the file at the same time.
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(bundle));
  renameSync(`${file}.${process.pid}`, file);
  return bundle.source;
}

function readCached(file: string): CachedBundle | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as CachedBundle;
  } catch {
    // The entry was not bundled yet.
    return null;
  }
}

/** @returns '' if the file was removed */
function digestOf(path: string): string {
  try {
    return createHash('sha256')
      .update(readFileSync(resolve(root, path)))
      .digest('hex');
  } catch {
    return '';
  }
}
