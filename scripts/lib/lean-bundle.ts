/**
 * Reduces the memory of programs. V8 keeps the source text in memory, with two bytes per character if any character is
 * not in Latin-1. One dash in a comment turns 3 MB into 6 MB for each worker.
 */
import { transformSync } from 'esbuild';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Options of esbuild: removes whitespace and comments. Names stay, because code reads them at run time. */
export const MINIFY_OPTIONS = { minifyWhitespace: true, charset: 'ascii', lineLimit: 200 } as const;

/**
 * Escapes all characters that need two bytes. esbuild escapes them in strings and names, but not in regular
 * expressions. There an escape has the same meaning, also after a backslash. Each half of a surrogate pair gets its own
 * escape. After an escape, the columns of the source map are off by five until the end of the line.
 */
export const escapeNonLatin1 = (code: string): string =>
  code.replace(/\\([^])|[^\0-\xff]/g, (match, escaped?: string) => {
    const letter = escaped ?? match;
    return letter > '\xff' ? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}` : match;
  });

/** Folders of an npm package that a program never loads: web pages, types, commands. */
const notLoaded = /^(types|bin|lib\/(vite|tools|entry))$/;

/** Copies an npm package with minified scripts. Replaces each file atomically, because other processes may start meanwhile. */
export function copyMinified(source: string, target: string): void {
  const { name, version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Record<string, string>;
  // The license requires a notice of changes.
  const banner = `// ${name} ${version} without blanks and comments, made from the package that npm has.\n`;
  const copy = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const file = join(folder, entry.name);
      const relativePath = relative(source, file);
      if (entry.isDirectory()) {
        if (!notLoaded.test(relativePath)) copy(file);
        continue;
      }
      writeAtomically(join(target, relativePath), (temporaryPath) => {
        if (!/^lib\/.*\.js$/.test(relativePath)) return copyFileSync(file, temporaryPath);
        writeFileSync(
          temporaryPath,
          banner + escapeNonLatin1(transformSync(readFileSync(file, 'utf8'), MINIFY_OPTIONS).code),
        );
      });
    }
  };
  copy(source);
}

/** Writes a file under a temporary name, then renames it. */
export function writeAtomically(path: string, write: (temporaryPath: string) => void): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporaryPath = `${path}.${process.pid}`;
  write(temporaryPath);
  renameSync(temporaryPath, path);
}
