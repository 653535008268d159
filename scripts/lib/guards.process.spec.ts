import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configuration, runOver } from './source-tree.ts';
import { countFiles, flagUnused } from './old-words.ts';

const run = (program: string, args: string[], input: string) =>
  spawnSync(join(import.meta.dirname, '../../node_modules/.bin', program), args, { encoding: 'utf8', input });

describe('commit messages', () => {
  const isAccepted = (message: string) =>
    run('commitlint', ['--config', configuration('commitlint.config.mjs')], message).status === 0;

  test.each(['feat(cli): add noun-verb commands', 'fix!: drop the column', 'refactor(api)!: rename the route'])(
    '%j is accepted',
    (message) => expect(isAccepted(message)).toBe(true),
  );

  test.each(['Let an index wait for hours', 'wip: rename', 'fix(db):', `fix(db): ${'x'.repeat(64)}`])(
    '%j is rejected',
    (message) => expect(isAccepted(message)).toBe(false),
  );
});

describe('old words', () => {
  const spelling = (text: string) =>
    run('cspell', ['--config', configuration('cspell.config.mjs'), '--no-progress', 'stdin://source.ts'], text);

  test.each([
    ['summarise', 'comments'],
    ['healCommand', 'identifiers'],
    ['MOST_WAYS', 'constants'],
  ])('%s is rejected in %s', (word) => {
    const { status, stdout } = spelling(`export const ${word} = 1;\n`);
    expect([status, stdout]).toEqual([1, expect.stringContaining(`Forbidden word (${word})`)]);
  });

  test('other unknown words are accepted', () => {
    expect(spelling('// qwertzuiop\nexport const fooobaar = 1;\n').status).toBe(0);
  });

  test('a word without a hit becomes a flag word, and stays one', () => {
    const words = { flagged: { alpha: 'dispatcher' }, remaining: { beta: 'installation', gamma: 'tier' } };
    const counts = countFiles(['alpha', 'beta', 'gamma'], ['const BetaKey = 1', 'the betas', 'alpha']);
    expect([...counts]).toEqual([
      ['alpha', 1],
      ['beta', 1],
      ['gamma', 0],
    ]);
    expect(flagUnused(words, counts)).toEqual({
      flagged: { alpha: 'dispatcher', gamma: 'tier' },
      remaining: { beta: 'installation' },
    });
  });
});

describe('unused code', () => {
  test('a file, an export and a dependency that nothing uses are reported', () => {
    const { workspaces, ...settings } = JSON.parse(readFileSync(configuration('knip.json'), 'utf8')) as {
      workspaces: Record<string, object>;
    };
    const report = runOver(
      {
        'knip.json': JSON.stringify({ ...settings, workspaces: { 'apps/*': workspaces['apps/*'] } }),
        'package.json': JSON.stringify({ name: 'root', workspaces: ['apps/*'] }),
        'apps/cli/package.json': JSON.stringify({ name: 'cli', dependencies: { unneeded: '1.0.0' } }),
        'apps/cli/src/main.ts': "import { used } from './library.ts';\nconsole.log(used);\n",
        'apps/cli/src/library.ts': 'export const used = 1;\nexport const unused = 2;\n',
        'apps/cli/src/orphan.ts': 'export const orphan = 1;\n',
      },
      'knip',
      ['--reporter', 'json'],
    );
    const text = JSON.stringify(report);
    for (const name of ['unneeded', 'unused', 'orphan.ts']) expect(text).toContain(name);
    expect(text).not.toContain('"used"');
  });
});

test.each(['up', 'test'])('scripts/%s --help prints its options and installs nothing', (script) => {
  const state = mkdtempSync(join(tmpdir(), 'pilothouse-help-'));
  const { status, stdout, stderr } = spawnSync(join(import.meta.dirname, '..', script), ['--help'], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', PILOTHOUSE_INSTALL_DIR: join(state, 'install') },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain(`  scripts/${script} `);
  expect(readdirSync(state)).toEqual([]);
  rmSync(state, { recursive: true });
});
