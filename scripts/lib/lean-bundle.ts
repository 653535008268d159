/**
 * Programs that take less memory. V8 keeps the text of a program for as long as it runs, each letter in two bytes as soon as one of them
 * is not in Latin-1: a dash in a comment makes 3 MB of a program 6 MB of each worker.
 */
import { transformSync } from 'esbuild';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What esbuild leaves out of a program: blanks and comments. Names stay, because code reads them at run time. */
export const LEAN = { minifyWhitespace: true, charset: 'ascii', lineLimit: 200 } as const;

/**
 * A program in letters of one byte each. esbuild writes them in strings and names, but leaves patterns as they are; an escape means the same
 * there, also in place of `\\` and the letter. Half of a pair is an escape of its own, as a pattern with the flag `u` reads it, too. The map of the sources is
 * off by five columns for each, to the end of a line of the bundle.
 */
export const inOneByte = (code: string): string =>
  code.replace(/\\([^])|[^\0-\xff]/g, (match, escaped?: string) => {
    const letter = escaped ?? match;
    return letter > '\xff' ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : match;
  });

/** Of an npm package what is never loaded by a program that only imports it: pages for people, types, commands. */
const notLoaded = /^(types|bin|lib\/(vite|tools|entry))$/;

/** Copies an npm package, its scripts lean. Each file takes its place at once: a process that starts meanwhile finds a whole one. */
export function copyLean(from: string, to: string): void {
  const { name, version } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Record<string, string>;
  // The license requires a notice of changes.
  const banner = `// ${name} ${version} without blanks and comments, made from the package that npm has.\n`;
  const copy = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const file = join(folder, entry.name);
      const relativePath = relative(from, file);
      if (entry.isDirectory()) {
        if (!notLoaded.test(relativePath)) copy(file);
        continue;
      }
      writeAtomically(join(to, relativePath), (temporaryPath) => {
        if (!/^lib\/.*\.js$/.test(relativePath)) return copyFileSync(file, temporaryPath);
        writeFileSync(temporaryPath, banner + inOneByte(transformSync(readFileSync(file, 'utf8'), LEAN).code));
      });
    }
  };
  copy(from);
}

/** Writes a file under a temporary name, then renames it. */
export function writeAtomically(path: string, write: (temporaryPath: string) => void): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporaryPath = `${path}.${process.pid}`;
  write(temporaryPath);
  renameSync(temporaryPath, path);
}
