/** Which file of the repository uses which: imports, and paths in string literals that name a file or a folder. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Path of a file, from the root → paths of the files and folders that it uses. A folder ends with a slash. */
export type SourceGraph = ReadonlyMap<string, ReadonlySet<string>>;

const SOURCE = /\.(ts|tsx|mts|mjs)$/;
/** Types are gone at run time; the compiler checks them in every run. */
const TYPE_IMPORT = /^(import|export) type [^;]*?from '[^']*';/gm;
const SPECIFIER = /(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'/g;
/** A string, or a template without expression, that may be a path. */
const PATH_LITERAL = /['"`]([\w@.-]+(?:\/[\w@.-]+)*\/?)['"`]/g;
/** Folders whose files a source reads by naming the folder. */
const ROOT_FOLDER = /^(charts|docker|docs|prisma)(\/|$)/;

/**
 * Sources whose string literals are not followed. The bundles contain nearly everything: smoke specs stand for what the
 * bundles can reach.
 */
const LITERALS_IGNORED = new Set(['scripts/build.ts', 'knip.json']);

/** Names of workspace packages → their folders. */
function packageFolders(root: string, files: readonly string[]): ReadonlyMap<string, string> {
  const manifests = files.filter((file) => /^(apps|libs|bench).*\/package\.json$/.test(file));
  return new Map(
    manifests.map((file) => [
      (JSON.parse(readFileSync(join(root, file), 'utf8')) as { name: string }).name,
      dirname(file),
    ]),
  );
}

/** Returns the file that `@pilothouse/name/subpath` means. */
function workspaceFile(
  specifier: string,
  folders: ReadonlyMap<string, string>,
  exportsOf: (folder: string) => Readonly<Record<string, string>>,
): string | undefined {
  const [scope = '', name = '', ...rest] = specifier.split('/');
  const folder = folders.get(`${scope}/${name}`);
  if (folder === undefined) return undefined;
  const entries = exportsOf(folder);
  const subpath = rest.length === 0 ? '.' : `./${rest.join('/')}`;
  const target = entries[subpath] ?? entries['./*']?.replace('*', rest.join('/'));
  return target && normalize(join(folder, target));
}

/** Reads the graph of all files that git tracks or would add. */
export function readSourceGraph(root: string): SourceGraph {
  const listing = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = listing.split('\n').filter((file) => file !== '' && existsSync(join(root, file)));
  const known = new Set(files);
  const knownFolders = new Set(files.flatMap((file) => ancestors(file)));
  const folders = packageFolders(root, files);
  const manifests = new Map<string, Readonly<Record<string, string>>>();
  const exportsOf = (folder: string) => {
    const cached = manifests.get(folder);
    if (cached) return cached;
    const { exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
      exports?: Record<string, string>;
    };
    manifests.set(folder, exports);
    return exports;
  };
  const graph = new Map<string, Set<string>>();
  for (const file of files) {
    if (!SOURCE.test(file)) continue;
    const text = readFileSync(join(root, file), 'utf8').replaceAll(TYPE_IMPORT, '');
    const used = new Set<string>();
    for (const [, specifier = ''] of text.matchAll(SPECIFIER)) {
      const target = specifier.startsWith('.')
        ? normalize(join(dirname(file), specifier))
        : workspaceFile(specifier, folders, exportsOf);
      for (const candidate of target === undefined
        ? []
        : [target, `${target}.ts`, `${target}.tsx`, `${target}/index.ts`])
        if (known.has(candidate)) used.add(candidate);
    }
    if (!LITERALS_IGNORED.has(file))
      for (const [, literal = ''] of text.matchAll(PATH_LITERAL))
        for (const target of [normalize(join(dirname(file), literal)), normalize(literal)])
          if (known.has(target)) used.add(target);
          else if (ROOT_FOLDER.test(literal) && target === normalize(literal) && knownFolders.has(stripSlash(target)))
            used.add(`${stripSlash(target)}/`);
    used.delete(file);
    graph.set(file, used);
  }
  return graph;
}

const stripSlash = (path: string) => path.replace(/\/$/, '');

/** Returns the folders that contain a path, the nearest first. */
export function ancestors(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [folder, ...ancestors(folder)];
}

/** Returns the files that use any of the given files, directly or through others, and the given files themselves. */
export function reachedFrom(graph: SourceGraph, changed: readonly string[]): ReadonlySet<string> {
  const usersOf = new Map<string, string[]>();
  for (const [user, targets] of graph)
    for (const target of targets) usersOf.set(target, [...(usersOf.get(target) ?? []), user]);
  const reached = new Set(changed);
  for (const file of reached) {
    const direct = usersOf.get(file) ?? [];
    const throughFolders = ancestors(file).flatMap((folder) => usersOf.get(`${folder}/`) ?? []);
    for (const user of [...direct, ...throughFolders]) reached.add(user);
  }
  return reached;
}
