import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { listFiles } from './source-rules.ts';

/* Names of files, types and benchmarks in the texts for contributors exist. */

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const files = listFiles();

/** Texts for contributors. Guides for users name files of the user, too. */
const pages = globSync(['CONTRIBUTING.md', 'bench/*.md', 'docs/decisions/*.md', '{apps,libs,charts}/**/README.md'], {
  cwd: root,
  exclude: (name) => name.includes('node_modules'),
});

/** Code in the sentences of a page, without its blocks. */
const codeOf = (text: string): string[] =>
  [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

/** Path suffixes of all files and folders. `core/run/x.ts` and `x.ts` are suffixes of `libs/core/src/run/x.ts`. */
const pathEnds = new Set(
  files
    .flatMap((file) => [file, file.replace('/src/', '/')])
    .flatMap((file) => {
      const parts = file.split('/');
      return parts.flatMap((_, start) =>
        parts.slice(start).map((_, index) => parts.slice(start, start + index + 1).join('/')),
      );
    }),
);

const SOURCE_FILE = /^(?!\.[a-z])[\w.@/-]+\.(tsx?|mjs|md|sql|py|sh|prisma|tpl)$/;
const ROOT_FOLDER = /^(apps|libs|bench|docs|scripts|charts|docker|prisma)\/[\w.@/-]+$/;

const missingPaths = (page: string, text: string): string[] =>
  codeOf(text)
    .filter((code) => SOURCE_FILE.test(code) || ROOT_FOLDER.test(code))
    .filter((code) => {
      const path = code.startsWith('../') ? normalize(join(dirname(page), code)) : code.replace(/^\.\//, '');
      return !pathEnds.has(path.replace(/\/$/, ''));
    });

const sources = files
  .filter((file) => /\.(tsx?|mjs|sql|ya?ml|prisma|tpl)$/.test(file) && !file.endsWith('docs-names.process.spec.ts'))
  .map(read);
const words = new Set(sources.flatMap((text) => text.match(/\w+/g) ?? []));
const exportedTypes = new Set(
  sources.flatMap((text) =>
    [...text.matchAll(/\bexport (?:abstract )?(?:class|interface|type) ([A-Z]\w*)/g)].map(([, name]) => name),
  ),
);

/** Names of the language and of other products. */
const foreignNames = new Set(['AbortIncompleteMultipartUpload', 'Promise', 'Record']);

/** Names that no source has: words with an inner capital, and exported types before their arguments. */
const missingNames = (text: string): string[] =>
  codeOf(text)
    .flatMap((code) => [
      ...(code.match(/(?<![\w./-])[A-Z]\w*[a-z][A-Z]\w*(?![\w/<-])/g) ?? []).filter((name) => !words.has(name)),
      ...(code.match(/\b[A-Z]\w+(?=<)/g) ?? []).filter((name) => !exportedTypes.has(name)),
    ])
    .filter((name) => !foreignNames.has(name));

const benchNames = new Set(
  [...(/benches: [^{]*\{([\s\S]*?)\n\}/.exec(read('bench/bench-cli.ts'))?.[1] ?? '').matchAll(/^ {2}'?([\w-]+)/gm)].map(
    ([, name = '']) => name,
  ),
);

/** Names after the command in any text. */
const missingBenches = (text: string): string[] =>
  [...text.matchAll(/bench-cli\.ts ([a-z][\w-]*)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !benchNames.has(name));

test.each(pages)('every file and folder that %s names exists', (page) => {
  expect(missingPaths(page, read(page))).toEqual([]);
});

/** Pages that name types of this repository; measurements and decisions also name those of other programs. */
const packagePages = pages.filter((page) => page.endsWith('README.md') || page === 'CONTRIBUTING.md');

test.each(packagePages)('every type that %s names exists', (page) => {
  expect(missingNames(read(page))).toEqual([]);
});

test('every benchmark that a text or a workflow names exists', () => {
  const texts = files.filter((file) => /\.(md|yml)$/.test(file));
  const missing = texts.flatMap((file) => missingBenches(read(file)).map((name) => `${file}: ${name}`));
  expect({ missing, hasNames: benchNames.has('dispatch') }).toEqual({ missing: [], hasNames: true });
  const described = [...read('bench/README.md').matchAll(/^\| (`[a-z].*?) \|/gm)].flatMap(([, cell = '']) =>
    codeOf(cell),
  );
  expect(described.toSorted()).toEqual([...benchNames].toSorted());
});

test('a missing file, type and benchmark are found', () => {
  const text =
    'Read `libs/core/src/nowhere.ts`, `no-file.ts`, `../run/nothing.md`, `apps/none` and `.spec.ts`. ' +
    'Use `Calling<typeof route>` and `NoSuchStore`; `RunWriter` exists. Run `node bench/bench-cli.ts nothing`.';
  expect(missingPaths('libs/core/README.md', text)).toEqual([
    'libs/core/src/nowhere.ts',
    'no-file.ts',
    '../run/nothing.md',
    'apps/none',
  ]);
  expect(missingNames(text)).toEqual(['Calling', 'NoSuchStore']);
  expect(missingBenches(text)).toEqual(['nothing']);
});
