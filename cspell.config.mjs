import { readFileSync } from 'node:fs';

/** Old words and their replacements. A word that no file contains any more is a flag word: it may not come back. */
const words = JSON.parse(readFileSync(new URL('scripts/lib/data/old-words.json', import.meta.url), 'utf8'));

/** Only flag words are checked: general spelling is off. */
export default {
  version: '0.2',
  language: 'en',
  unknownWords: 'report-flagged',
  flagWords: Object.entries(words.flagged).map(([word, replacement]) => `${word}->${replacement}`),
  // The Unix user, and files that the screenshots in bench/recall show.
  ignoreRegExpList: ['/`nobody`/g', '/nobody_/g', '/picture\\.png/g', '/Folder Pictures/g', '/Pictures\\/\\.keep/g'],
  ignorePaths: [
    'node_modules',
    'dist',
    '.git',
    '.nx',
    '.pilothouse',
    'package-lock.json',
    '**/generated/**',
    'scripts/lib/data/**',
    'scripts/jest/test-times.json',
    'scripts/lib/guards.process.spec.ts',
    'cspell.config.mjs',
    'prisma/migrations/**',
    'bench/results/**',
  ],
};
