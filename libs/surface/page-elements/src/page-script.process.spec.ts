import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundlePageScript, pageScript } from './page-script.ts';

const snapshotEntry = join(import.meta.dirname, 'snapshot/snapshot.page.ts');

// A fixed path: the cache of sources has one file for each entry.
const folder = join(import.meta.dirname, '../../../../.pilothouse/page-script-spec');
beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true, force: true }));

const writeModule = (name: string, text: string) => writeFile(join(folder, name), text);
const evaluate = (source: string) => new Function(`return ${source}`)() as (...args: unknown[]) => unknown;

test('a page script is one expression without imports, the same in each build', () => {
  const { source, inputs } = bundlePageScript(snapshotEntry);
  expect(source).not.toMatch(/\bimport\b|\bexport\b|\brequire\(|__name/);
  expect(bundlePageScript(snapshotEntry).source).toBe(source);
  expect(Object.keys(inputs)).toContain('libs/surface/page-elements/src/snapshot/dom-walk.ts');
  expect(Object.keys(inputs).filter((path) => path.includes('node_modules'))).toEqual([]);
  expect(pageScript(pathToFileURL(join(import.meta.dirname, 'snapshot/snapshot.source.ts')).href)()).toBe(source);
});

test('a change of an imported module changes the source', async () => {
  await writeModule(
    'greet.page.ts',
    `import { word } from './word.ts'; export function greet(name: string) { return word + name; }`,
  );
  await writeModule('word.ts', `export const word: string = 'Hello ';`);
  const sourceUrl = pathToFileURL(join(folder, 'greet.source.ts')).href;
  expect(evaluate(pageScript(sourceUrl)())('Ada')).toBe('Hello Ada');
  await writeModule('word.ts', `export const word: string = 'Bye ';`);
  expect(evaluate(pageScript(sourceUrl)())('Ada')).toBe('Bye Ada');
});

test('an entry with two functions is refused', async () => {
  await writeModule('two.page.ts', 'export function first() {} export function second() {}');
  expect(() => bundlePageScript(join(folder, 'two.page.ts'))).toThrow('two.page.ts must export exactly one function.');
});
