/** Checks the messages of the commits since the convention was adopted: `node scripts/lib/commits.ts`. Rules: commitlint.config.mjs. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The last commit before the convention. */
const FIRST_COMMIT = '1b362e566ccd';

const run = (program: string, args: string[]) => spawnSync(program, args, { cwd: root, encoding: 'utf8' });

if (import.meta.main) {
  const hasHistory = run('git', ['merge-base', '--is-ancestor', FIRST_COMMIT, 'HEAD']).status === 0;
  if (!hasHistory) console.log('Commit messages are not checked: the history of this checkout is incomplete.');
  else {
    const { status, stdout, stderr } = run(join(root, 'node_modules/.bin/commitlint'), ['--from', FIRST_COMMIT]);
    process.stdout.write(stdout + stderr);
    process.exitCode = status ?? 1;
  }
}
