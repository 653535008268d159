import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { program } from '../program.ts';
import { ApiFixture, KEY } from '../testing/api.fixture.ts';
import { runCli } from '../testing/cli.fixture.ts';
import { aWorkflow } from '../testing/views.fixture.ts';
import { completionScript, shells, type Shell } from './shell-scripts.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "pilothouse-completion's spec-"));
const command = join(folder, 'pilothouse');
const api = new ApiFixture();

beforeAll(async () => {
  await api.start();
  const main = join(import.meta.dirname, '../main.ts');
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(command, 0o755);
  for (const file of ['*', '* b.yaml']) writeFileSync(join(folder, file), '');
  for (const shell of shells) writeFileSync(join(folder, shell), completionScript(shell, command));
});
beforeEach(() => {
  const { version, published, versionCreatedAt, definition, source, ...view } = aWorkflow();
  const stats = { usesAgent: false, createdBy: null, finishedRuns: 0, completed: 0, retries: 0, lastRun: null };
  api.handlers.listWorkflows = () => ({ items: [{ ...view, stats: { ...stats, thumbnail: null } }], nextCursor: null });
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true });
});

const complete = async (words: readonly string[], url = api.url) => {
  const { out, err, code } = await runCli(program, ['completion', 'bash', '--', ...words], { url });
  expect([code, err]).toEqual([0, '']);
  return out.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t', 1)[0]]));
};

test.each([
  [['wor'], ['workflows', 'workers']],
  [['workflows', 'v'], ['versions']],
  [['runs', 'list', '--st'], ['--status']],
  [
    ['runs', 'list', '--status', 'c'],
    ['completed', 'cancelled'],
  ],
  [['runs', 'list', '--status', 'failed,can'], ['failed,cancelled']],
  [['runs', 'list', '--origin', 'we'], ['webhook']],
  [['run', '--video=s'], ['--video=small']],
  [['run', '--video', '=', 's'], ['small']],
  [
    ['run', '--video', '='],
    ['small', 'full'],
  ],
  [
    ['run', '--goal', 'x', '--model-log', ''],
    ['none', 'full'],
  ],
  [['run', '--video', '--har', 'h'], ['headers']],
  [['runs', 'answer', 'last', 're'], ['retry']],
  [
    ['run', 'har'],
    ['harbour-order', ':files'],
  ],
  [['workflows', 'show', ''], ['harbour-order']],
  [['runs', 'list', '--workflow', ''], ['harbour-order']],
  [['workflows', 'lint', 'a.yaml', ''], [':files']],
  [['run', '--inputs', ''], [':files']],
  [['completion', 'z'], ['zsh']],
  [['workflows', 'show', 'harbour-order', ''], []],
])('%j is completed to %j', async (words, expected) => expect(await complete(words)).toEqual(expected));

test('flags that are hidden are not suggested', async () => {
  const flags = await complete(['up', '--']);
  expect(flags).toContain('--detach');
  expect(flags).not.toContain('--in-background');
});

test('without an answer of the API in time there are no names and no error', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  expect(await complete(['workflows', 'show', ''], `http://127.0.0.1:${port}`)).toEqual([]);
  silent.close();
  expect(await complete(['workflows', 'show', ''], 'http://127.0.0.1:9')).toEqual([]);
});

describe('in bash', () => {
  const inBash = async (words: readonly string[]) => {
    const script = `source "$1"; shift; complete -p pilothouse; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pilothouse; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { PATH: process.env.PATH, PILOTHOUSE_URL: api.url, PILOTHOUSE_API_KEY: KEY };
    const args = ['--norc', '-c', script, 'bash', join(folder, 'bash'), 'pilothouse', ...words];
    const { stdout } = await run('bash', args, { cwd: folder, env });
    const [registration, ...found] = stdout.trimEnd().split('\n');
    expect(registration).toBe('complete -F _pilothouse pilothouse');
    return found;
  };

  test.each([
    [['workflows', 've'], ['versions']],
    [['workflows', 'show', 'har'], ['harbour-order']],
    [
      ['run', '--video', '='],
      ['small', 'full'],
    ],
    [['workflows', 'lint', 'b'], ['bash']],
  ])('%j is completed to %j', async (words, expected) => expect(await inBash(words)).toEqual(expected));

  test('a file that is named * is not expanded', async () => {
    expect(new Set(await inBash(['workflows', 'lint', '*']))).toEqual(new Set(['*', '* b.yaml']));
  });
});

const isInstalled = async (shell: Shell) =>
  run(shell, ['-c', 'exit 0']).then(
    () => true,
    () => false,
  );

test.each(shells)('%s can parse its script', async (shell) => {
  const script = completionScript(shell, command);
  expect(script).toContain(`completion ${shell} -- `);
  if (await isInstalled(shell)) await run(shell, ['-n', join(folder, shell)]);
});

test('the script names the command of the checkout', async () => {
  const { out } = await runCli(program, ['completion', 'zsh'], { url: api.url });
  expect(out).toMatch(/\/apps\/cli\/bin\/pilothouse' completion zsh -- /);
  expect(out.startsWith('#compdef pilothouse\n')).toBe(true);
});

test('another shell is invalid usage', async () => {
  const { code, err } = await runCli(program, ['completion', 'tcsh'], { url: api.url });
  expect(code).toBe(2);
  expect(err).toContain('Allowed choices are bash, zsh, fish.');
});
