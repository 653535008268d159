/** Selects the spec files that a change can affect. Used by `scripts/test --since COMMIT`. */
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { suiteOf } from '../jest/suites.ts';
import { ancestors, reachedFrom, type SourceGraph } from './source-graph.ts';

/** Which of the spec files run. */
export interface Selection {
  readonly selected: ReadonlySet<string>;
  /** Reason why all files run; null: only the selected ones do. */
  readonly fullRunReason: string | null;
}

/** Changes of these files can affect every test. */
const AFFECTS_ALL =
  /^(package-lock\.json|package\.json|tsconfig\.base\.json|jest\.config\.mjs|\.nvmrc|scripts\/jest\/.*\.ts|scripts\/build\.ts|scripts\/setup|scripts\/lib\/(common|system-packages|install-node)\.sh|scripts\/lib\/(test-servers|radosgw|run-jest)\.ts)$/;

/** Folders whose changes select whole suites, besides the specs that read their files. */
const SUITES_OF_FOLDER: Readonly<Record<string, readonly string[]>> = {
  charts: ['chart'],
  docker: ['chart'],
  prisma: ['db'],
};

/** Above this share of affected files, all files run. */
const FULL_RUN_SHARE = 0.5;

/**
 * Returns the paths that differ from a commit, with uncommitted and untracked files.
 * @returns null if the repository does not have the commit
 */
export function changedFiles(root: string, commit: string): readonly string[] | null {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter(Boolean);
  if (!/^[0-9a-f]{7,40}$/.test(commit)) return null;
  try {
    git('cat-file', '-e', `${commit}^{commit}`);
  } catch {
    return null;
  }
  return [
    ...new Set([
      ...git('diff', '--name-only', '--no-renames', commit, '--'),
      ...git('ls-files', '--others', '--exclude-standard'),
    ]),
  ];
}

/**
 * Selects all unit specs, the specs that use a changed file, and the smoke specs.
 * @param specs all spec files of the run
 * @param changed paths of changed, new and deleted files
 * @param smoke spec files that always run
 */
export function selectAffected(
  graph: SourceGraph,
  specs: readonly string[],
  changed: readonly string[],
  smoke: readonly string[],
): Selection {
  const cause = changed.find((file) => AFFECTS_ALL.test(file));
  if (cause) return { selected: new Set(specs), fullRunReason: `${cause} changed` };
  const reached = reachedFrom(graph, changed);
  const suites = new Set(changed.flatMap((file) => SUITES_OF_FOLDER[file.split('/', 1)[0] ?? ''] ?? []));
  // A page or another file without a known user affects the specs of its package.
  const packages = changed
    .filter((file) => !isDocument(file) && !graph.has(file) && ![...graph.values()].some((used) => used.has(file)))
    .map((file) =>
      ancestors(file).find((folder) => /^(apps\/[^/]+|libs\/(infra|surface|ui)\/[^/]+|libs\/[^/]+)$/.test(folder)),
    )
    .filter((folder) => folder !== undefined);
  const isAffected = (spec: string) =>
    reached.has(spec) || suites.has(suiteOf(spec)) || packages.some((folder) => spec.startsWith(`${folder}/`));
  const affected = specs.filter((spec) => suiteOf(spec) !== 'unit' && isAffected(spec));
  const total = specs.filter((spec) => suiteOf(spec) !== 'unit').length;
  if (affected.length > total * FULL_RUN_SHARE)
    return { selected: new Set(specs), fullRunReason: `the change affects ${affected.length} of ${total} spec files` };
  const selected = new Set([...affected, ...specs.filter((spec) => suiteOf(spec) === 'unit' || smoke.includes(spec))]);
  return { selected, fullRunReason: null };
}

const isDocument = (file: string) => file.endsWith('.md') || dirname(file) === '.';

/** Returns the names of failpoints in the changed files, for the chaos cases of a change. */
export function changedFailpoints(changed: readonly string[], read: (file: string) => string): readonly string[] {
  const sources = changed.filter((file) => /^(apps|libs)\/.*\.ts$/.test(file) && !file.endsWith('.spec.ts'));
  return [
    ...new Set(
      sources.flatMap((file) => [...read(file).matchAll(/\bfailpoint\('([\w.-]+)'/g)].map(([, name = '']) => name)),
    ),
  ];
}
