/** A small tree of sources in a temporary folder, for the tests of the rules over sources. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Path in the tree → its text. */
export type Sources = Record<string, string>;

/**
 * Writes the tree, runs a program of our node_modules/.bin in it, and returns its JSON output.
 * @param links packages to link in its node_modules: name → folder
 */
export function runOver(
  sources: Sources,
  program: string,
  args: string[],
  links: Record<string, string> = {},
): unknown {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'pilothouse-sources-')));
  try {
    copyFileSync(join(root, 'tsconfig.base.json'), join(dir, 'tsconfig.base.json'));
    for (const [path, text] of Object.entries(sources)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    }
    for (const [name, folder] of Object.entries(links)) {
      const link = join(dir, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(dir, folder), link);
    }
    const { stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', program), args, {
      cwd: dir,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    if (!stdout.trim()) throw new Error(`${program} said nothing: ${stderr}`);
    return JSON.parse(stdout);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Path of a file of the repository, for the configuration of the programs. */
export const configuration = (name: string) => join(root, name);
