/**
 * Removes one safeguard after the other in a copy of the checkout, and expects red cases.
 *
 *   node apps/e2e/src/chaos/mutations.ts [name ...]
 *
 * Uses the committed files in a separate folder; the checkout is not changed.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { safeguards, type Safeguard } from './safeguards.ts';

const root = join(import.meta.dirname, '../../../..');
const run = promisify(execFile);

/** Creates a copy of the committed files with its own packages. */
async function copy(dir: string): Promise<string> {
  const there = join(dir, 'checkout');
  await run('git', ['worktree', 'add', '--quiet', '--detach', there, 'HEAD'], { cwd: root });
  await mkdir(join(there, 'node_modules'));
  for (const name of await readdir(join(root, 'node_modules'))) {
    const [from, to] = [join(root, 'node_modules', name), join(there, 'node_modules', name)];
    if (name === '@pilothouse') await cp(from, to, { recursive: true, verbatimSymlinks: true });
    else await symlink(from, to);
  }
  const generated = 'libs/infra/db/src/generated';
  await cp(join(root, generated), join(there, generated), { recursive: true });
  return there;
}

async function edit(there: string, { file, from, to }: Safeguard['edits'][number]): Promise<void> {
  const path = join(there, file);
  const text = await readFile(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${file} does not hold this exactly once: ${from}`);
  await writeFile(path, text.replace(from, to));
}

/**
 * Runs the selected cases without the safeguard.
 * @returns the lines of red cases
 */
async function withoutIt({ edits, fitting, cases }: Safeguard): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'pilothouse-mutation-'));
  try {
    const there = await copy(dir);
    for (const change of edits) await edit(there, change);
    await run(process.execPath, [join(there, 'scripts/build.ts')], { cwd: there });
    const args = [
      '--seed',
      '1',
      '--systems',
      '2',
      '--cases',
      String(cases),
      '--fitting',
      fitting,
      '--out',
      join(dir, 'out'),
    ];
    const suite = spawn(process.execPath, [join(there, 'apps/e2e/src/chaos/chaos-cli.ts'), ...args], {
      cwd: there,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    suite.stderr.on('data', (data) => (said += String(data)));
    await once(suite, 'close');
    if (!said.includes('seed 1')) throw new Error(said.slice(-2_000));
    return said.split('\n').filter((line) => line.startsWith('RED') || line.startsWith('      '));
  } finally {
    await run('git', ['worktree', 'remove', '--force', join(dir, 'checkout')], { cwd: root }).catch(() => undefined);
    await rm(dir, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
for (const [name, safeguard] of Object.entries(safeguards)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const red = await withoutIt(safeguard);
  console.log(`${red.length > 0 ? 'red, as it should be' : 'NOT RED'}: without the ${name}\n${red.join('\n')}\n`);
  if (red.length === 0) process.exitCode = 1;
}
