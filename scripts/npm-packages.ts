/**
 * Builds the npm packages of a release into `dist/npm`: `client` (library with types) and `cli` (the command `pilothouse`).
 * Workspace packages are inlined. npm packages become dependencies with the installed version.
 * Usage: `node scripts/npm-packages.ts`.
 */
import { build } from 'esbuild';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { restDeclarations } from './lib/rest-declarations.ts';

const root = join(import.meta.dirname, '..');
const out = join(root, 'dist/npm');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Types of the client package. The schemas of the OpenAPI document exist only in its generated declarations. */
const INDEX_TYPES = `export * from './client/src/index.js';
export type { components, operations, paths } from './client/src/rest-api.js';
`;

interface NpmPackage {
  readonly name: 'client' | 'cli';
  readonly source: string;
  readonly description: string;
  readonly readme: string;
  /** Fields of package.json besides the common ones. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly banner?: string;
}

const packages: readonly NpmPackage[] = [
  {
    name: 'client',
    source: 'libs/client/src/index.ts',
    description: 'TypeScript client of the Pilothouse REST API',
    readme: 'libs/client/README.md',
    fields: {
      exports: { '.': { types: './types/index.d.ts', default: './main.js' } },
      engines: { node: '>=22' },
    },
  },
  {
    name: 'cli',
    source: 'apps/cli/src/main.ts',
    description: 'Command line of Pilothouse: run browser and desktop workflows on your own fleet',
    readme: 'apps/cli/README.md',
    fields: { bin: { pilothouse: './main.js' }, engines: manifest.engines },
    banner: '#!/usr/bin/env node\n',
  },
];

rmSync(out, { recursive: true, force: true });
for (const each of packages) {
  const folder = join(out, each.name);
  mkdirSync(folder, { recursive: true });
  const dependencies = await bundle(each, join(folder, 'main.js'));
  if (each.name === 'client') await writeTypes(join(root, each.source), join(folder, 'types'));
  const { license, version, repository, homepage, bugs } = manifest;
  const common = { name: `@pilothouse/${each.name}`, version, description: each.description, license, type: 'module' };
  const fields = { ...common, repository, homepage, bugs, ...each.fields, dependencies };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(fields, null, 2)}\n`);
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  copyFileSync(join(root, each.readme), join(folder, 'README.md'));
  console.log(`built: ${relative(root, folder)} (${Object.keys(dependencies).length} dependencies)`);
}

/** @returns the npm packages that the bundle imports, with their versions */
async function bundle({ source, banner = '' }: NpmPackage, outfile: string): Promise<Record<string, string>> {
  const requireBanner = "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);";
  const { metafile } = await build({
    entryPoints: [join(root, source)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: banner ? 'node' : 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2023',
    tsconfig: join(root, 'tsconfig.base.json'),
    logLevel: 'warning',
    metafile: true,
    ...(banner && { banner: { js: `${banner}${requireBanner}` } }),
    plugins: [
      {
        name: 'npm-packages-external',
        setup({ onResolve }) {
          onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
            kind === 'entry-point' || path.startsWith('@pilothouse/') ? undefined : { path, external: true },
          );
        },
      },
    ],
  });
  if (banner) chmodSync(outfile, 0o755);
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  const names = imported
    .filter(({ external, path }) => external === true && !isBuiltin(path))
    .map(({ path }) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
  const sorted = [...new Set(names)].toSorted();
  return Object.fromEntries(sorted.map((name) => [name, installedVersion(name)]));
}

function installedVersion(name: string): string {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/**
 * Writes the declaration files of a source and of everything that they import from this repository. The REST operations are declared
 * from the OpenAPI document, not from the route table.
 */
async function writeTypes(source: string, folder: string): Promise<void> {
  const restApi = join(dirname(source), 'rest-api.ts');
  const contract = join(root, 'libs/contract/src');
  const base = ts.readConfigFile(join(root, 'tsconfig.base.json'), (file) => readFileSync(file, 'utf8'));
  const { options } = ts.parseJsonConfigFileContent(base.config, ts.sys, root);
  const program = ts.createProgram([source], {
    ...options,
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: join(root, 'libs'), outDir: folder },
    // Through node_modules it would count as a library, and have no declarations.
    paths: { '@pilothouse/contract/*': [join(contract, '*.ts')] },
  });
  const pending = [source];
  for (const file of pending) {
    const { declarations, imported } =
      file === restApi ? { declarations: await restDeclarations(), imported: [] } : declarationsOf(file);
    const target = join(folder, relative(join(root, 'libs'), file).replace(/\.ts$/, '.d.ts'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, declarations);
    for (const each of imported) if (!pending.includes(each)) pending.push(each);
  }

  writeFileSync(join(folder, 'index.d.ts'), INDEX_TYPES);

  /** Declarations of a source. Imports of the contract become relative, so that only used declarations are published. */
  function declarationsOf(file: string): { declarations: string; imported: string[] } {
    const imported: string[] = [];
    let declarations: string | undefined;
    const importOf = (specifier: string) => {
      imported.push(specifier);
      const path = relative(dirname(file), specifier).replace(/\.ts$/, '.js');
      return path.startsWith('.') ? path : `./${path}`;
    };
    program.emit(program.getSourceFile(file), (_, text) => {
      declarations = text
        .replaceAll(/((?:from|import\()\s*['"])@pilothouse\/contract\/([^'"]*)(['"])/g, (_, prefix, path, suffix) =>
          [prefix, importOf(join(contract, `${path}.ts`)), suffix].join(''),
        )
        .replaceAll(/((?:from|import\()\s*['"])(\.[^'"]*\.ts)(['"])/g, (_, prefix, path, suffix) =>
          [prefix, importOf(join(dirname(file), path)), suffix].join(''),
        );
    });
    return { declarations: declarations ?? fail(file), imported };
  }
}

function fail(name: string): never {
  throw new Error(`${name} has no declarations. Is its type too long? Split it, or annotate it.`);
}
