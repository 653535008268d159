/**
 * Takes one safeguard after the other out of a copy of the checkout, and sees the suite turn red.
 *
 *   node apps/e2e/src/chaos/mutations.ts [name ...]
 *
 * Works on what is committed, in a folder of its own; the checkout is not touched.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../../..');
const run = promisify(execFile);

/** A safeguard, how it is taken out, and the cases that have to notice. */
interface Mutation {
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  readonly fitting: string;
  readonly cases: number;
}

const sql = 'libs/infra/db/src/run/write.sql.ts';
const mutations: Readonly<Record<string, Mutation>> = {
  'epoch check': {
    edits: [
      { file: sql, from: '    AND (i.epoch IS NULL OR r.epoch = i.epoch)\n', to: '' },
      {
        file: 'apps/api/src/gateway/attempts.ts',
        from: 'return held?.epoch === epoch ? held : undefined;',
        to: 'return held && epoch > 0 ? held : undefined;',
      },
    ],
    fitting: 'lone worker stopped',
    cases: 6,
  },
  intent: {
    edits: [
      {
        file: 'apps/worker/src/run/turn.ts',
        from: 'await orAbort(tools.reporter.flush(saved && { saved }), stops.halt);',
        to: 'tools.reporter.flush(saved && { saved }).catch(() => undefined);',
      },
    ],
    fitting: '^worker killed.*http',
    cases: 4,
  },
  dedupe: {
    edits: [
      { file: sql, from: '  WHERE e.n IS NULL OR e.n > h.old_n\n', to: '' },
      { file: sql, from: 'AS n WHERE n IS NULL OR n > h.old_n', to: 'AS n' },
      { file: 'apps/api/src/gateway/append.ts', from: '.filter(({ n }) => n > held.n)', to: '' },
    ],
    fitting: 'events come twice',
    cases: 4,
  },
  're-hint': {
    edits: [
      {
        file: 'apps/api/src/way/sweeper.ts',
        from: 'hinted ? await dispatch.rehintMissing(HINT_GRACE_MS) : 0',
        to: 'hinted ? await Promise.resolve(0) : 0',
      },
    ],
    fitting: 'Redis flushed',
    cases: 3,
  },
};

/** A copy of what is committed, whose packages are its own. */
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

async function edit(there: string, { file, from, to }: Mutation['edits'][number]): Promise<void> {
  const path = join(there, file);
  const text = await readFile(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${file} does not hold this exactly once: ${from}`);
  await writeFile(path, text.replace(from, to));
}

/** Plays the fitting cases without the safeguard. @returns the lines of those that turned red */
async function withoutIt({ edits, fitting, cases }: Mutation): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'pilothouse-mutation-'));
  try {
    const there = await copy(dir);
    for (const change of edits) await edit(there, change);
    await run(process.execPath, [join(there, 'scripts/build.ts')], { cwd: there });
    const args = [
      '--seed',
      '1',
      '--houses',
      '2',
      '--cases',
      String(cases),
      '--fitting',
      fitting,
      '--out',
      join(dir, 'out'),
    ];
    const suite = spawn(process.execPath, [join(there, 'apps/e2e/src/chaos/main.ts'), ...args], {
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
for (const [name, mutation] of Object.entries(mutations)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const red = await withoutIt(mutation);
  console.log(`${red.length > 0 ? 'red, as it should be' : 'NOT RED'}: without the ${name}\n${red.join('\n')}\n`);
  if (red.length === 0) process.exitCode = 1;
}
