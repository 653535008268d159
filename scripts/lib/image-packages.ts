/**
 * Copies the npm packages that apps need to run. Those are the packages in their package.json, including packages of
 * this repository, and the dependencies of those. They come from node_modules as npm laid it out, and go to the same
 * places.
 * Usage: `node scripts/lib/image-packages.ts <folder> <app...> [--without <package>]` writes `<folder>/node_modules`.
 * `--without` omits a package of this repository and its exclusive dependencies.
 */
import { transformSync } from 'esbuild';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { MINIFY_OPTIONS } from './lean-bundle.ts';

interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const root = join(import.meta.dirname, '../..');
const { positionals, values } = parseArgs({ allowPositionals: true, options: { without: { type: 'string' } } });
const [target, ...apps] = positionals;
if (!target || apps.length === 0)
  throw new Error('Usage: node scripts/lib/image-packages.ts <folder> <app...> [--without <package>]');

/** Files that Node never loads (types, sources, maps, documents), and development folders of a package. Licenses stay. */
const neverLoaded = /\.([cm]?tsx?|map|md|markdown|flow|tsbuildinfo)$/i;
const forMakers = /^(tests?|__tests__|bench(marks?)?|examples?|docs?)$/;

/** Large unused files, by path in node_modules. */
const unusedFiles = [
  // Prisma has twenty query compilers: for each database and module format, fast and small. The client imports one.
  /^@prisma\/client\/runtime\/query_compiler_(?!fast_bg\.postgresql\.).*/,
  /^@prisma\/client\/runtime\/query_compiler_.*wasm-base64\.js$/,
  // Swagger UI for bundlers; the page of the API uses the complete build.
  /^swagger-ui-dist\/swagger-ui(-es-bundle(-core)?)?\.js$/,
  // SDKs of models contain builds for browsers, `require` and bundlers. The API imports the modules for Node.
  /^@google\/genai\/dist\/(web|tokenizer|vertex_internal|index|node\/index\.cjs)/,
  /^(openai|@anthropic-ai\/sdk)\/(?!internal\/auth\/x509-transport-state).*\.js$/,
  // Builds for callers without separate streams. The imported file stays.
  /^web-streams-polyfill\/dist\/(?!ponyfill\.es2018\.js$).*/,
  // Modules for browsers and bundlers: Node loads the CommonJS files.
  /^rxjs\/dist\/(bundles|esm|esm5)\//,
  // The functional form and the minified file are unused.
  /^lodash\/(fp\/|(core|lodash)\.min\.js$)/,
  // An unused compiled copy.
  /^xml2js\/lib\/xml2js\.bc\.js$/,
];

/** Packages for the runtime Bare, with binaries for every platform. Under Node they resolve to built-in modules. */
const bareRuntime = /^bare-/;

/** Minified into the bundle of its importer (`scripts/build.ts`). */
const withBundle = new Set(['playwright-core']);

/** Generated code of 25 MB, two thirds of it comments and blanks. */
const commentedCode = /^@kubernetes\/client-node\/dist\/gen\/.*\.js$/;

/** The folder of a package as a module in the folder `start` finds it; undefined when it is not installed. */
function folderOf(name: string, start: string): string | undefined {
  try {
    const manifest = findPackageJSON(name, pathToFileURL(join(start, 'package.json')));
    return manifest && realpathSync(dirname(manifest));
  } catch {
    return undefined;
  }
}

/** Dependencies of a package: [name, true if it is optional]. Optional peers are only for tools, and are omitted. */
function dependenciesOf(folder: string): [name: string, optional: boolean][] {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]
    .filter((name) => !bareRuntime.test(name) && !withBundle.has(name) && name !== values.without)
    .map((name) => [name, name in optionalDependencies]);
}

const folders = new Set<string>();
const waiting = apps.map((app) => join(root, 'apps', app));
for (let folder = waiting.pop(); folder; folder = waiting.pop()) {
  for (const [name, optional] of dependenciesOf(folder)) {
    const dependencyFolder = folderOf(name, folder);
    if (!dependencyFolder && !optional)
      throw new Error(`${relative(root, folder)} needs ${name}, which is not installed`);
    if (!dependencyFolder || folders.has(dependencyFolder)) continue;
    folders.add(dependencyFolder);
    waiting.push(dependencyFolder);
  }
}

/** Copies the needed files of a package; `path` is a folder in it. */
function copy(path: string, folder: string): void {
  const copiedPath = join(target ?? '', relative(root, path));
  mkdirSync(copiedPath, { recursive: true });
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const source = join(path, entry.name);
    const relativePath = relative(join(root, 'node_modules'), source);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules' && !forMakers.test(relative(folder, source))) copy(source, folder);
    } else if (!neverLoaded.test(entry.name) && !unusedFiles.some((pattern) => pattern.test(relativePath))) {
      if (commentedCode.test(relativePath))
        writeFileSync(join(copiedPath, entry.name), withoutComments(readFileSync(source, 'utf8')));
      else copyFileSync(source, join(copiedPath, entry.name));
    }
  }
}

const withoutComments = (code: string) => transformSync(code, { ...MINIFY_OPTIONS, legalComments: 'none' }).code;

for (const folder of folders) {
  // Workspace packages are already in the bundles.
  if (relative(root, folder).split('/').includes('node_modules')) copy(folder, folder);
}
