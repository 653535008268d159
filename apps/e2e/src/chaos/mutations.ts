/**
 * Removes one safeguard after the other in a copy of the checkout, and expects failed cases.
 *
 *   node apps/e2e/src/chaos/mutations.ts [name ...]
 *
 * Uses the committed files in a separate folder. The checkout is not changed.
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
  const checkout = join(dir, 'checkout');
  await run('git', ['worktree', 'add', '--quiet', '--detach', checkout, 'HEAD'], { cwd: root });
  await mkdir(join(checkout, 'node_modules'));
  for (const name of await readdir(join(root, 'node_modules'))) {
    const [source, target] = [join(root, 'node_modules', name), join(checkout, 'node_modules', name)];
    if (name === '@pilothouse') await cp(source, target, { recursive: true, verbatimSymlinks: true });
    else await symlink(source, target);
  }
  const generated = 'libs/infra/db/src/generated';
  await cp(join(root, generated), join(checkout, generated), { recursive: true });
  return checkout;
}

async function edit(checkout: string, { file, from, to }: Safeguard['edits'][number]): Promise<void> {
  const path = join(checkout, file);
  const text = await readFile(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${file} does not contain this text exactly once: ${from}`);
  await writeFile(path, text.replace(from, to));
}

/**
 * Runs the selected cases without the safeguard.
 * @returns the lines of failed cases
 */
async function runWithout({ edits, fitting, cases }: Safeguard): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'pilothouse-mutation-'));
  try {
    const checkout = await copy(dir);
    for (const change of edits) await edit(checkout, change);
    await run(process.execPath, [join(checkout, 'scripts/build.ts')], { cwd: checkout });
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
    const suite = spawn(process.execPath, [join(checkout, 'apps/e2e/src/chaos/chaos-cli.ts'), ...args], {
      cwd: checkout,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    suite.stderr.on('data', (data) => (stderr += String(data)));
    await once(suite, 'close');
    if (!stderr.includes('seed 1')) throw new Error(stderr.slice(-2_000));
    return stderr.split('\n').filter((line) => line.startsWith('FAILED') || line.startsWith('      '));
  } finally {
    await run('git', ['worktree', 'remove', '--force', join(dir, 'checkout')], { cwd: root }).catch(() => undefined);
    await rm(dir, { recursive: true, force: true });
  }
}

const selectedNames = process.argv.slice(2);
for (const [name, safeguard] of Object.entries(safeguards)) {
  if (selectedNames.length > 0 && !selectedNames.includes(name)) continue;
  const failedLines = await runWithout(safeguard);
  console.log(
    `${failedLines.length > 0 ? 'failed as expected' : 'NOT DETECTED'}: without the ${name}\n${failedLines.join('\n')}\n`,
  );
  if (failedLines.length === 0) process.exitCode = 1;
}
