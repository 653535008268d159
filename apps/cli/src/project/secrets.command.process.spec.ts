import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ProjectSecretView } from '@pilothouse/contract/project/project-secret.schema';
import { ApiFixture } from '../testing/api.fixture.ts';
import { runCli, type ProcessOptions } from '../testing/cli.fixture.ts';
import { id } from '../testing/views.fixture.ts';
import { secretsCommand } from './secrets.command.ts';

const api = new ApiFixture();
let folder: string;
beforeAll(async () => {
  await api.start();
  folder = await mkdtemp(join(tmpdir(), 'pilothouse-secrets-'));
});
beforeEach(() => {
  api.requests.splice(0);
  for (const route of Object.keys(api.handlers)) delete api.handlers[route as keyof typeof api.handlers];
});
afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true });
});

const now = new Date('2026-05-04T12:04:00.000Z');
const timestamp = '2026-05-04T12:00:00.000Z';
const run = (args: string[], options: Partial<ProcessOptions> = {}) =>
  runCli(secretsCommand, args, { url: api.url, now, cwd: folder, ...options });
const actor = { kind: 'user', id: id(7), name: 'ann@shop.example' } as const;
const portal: ProjectSecretView = {
  name: 'portal-password',
  description: 'Account of the robot',
  version: 1,
  createdAt: timestamp,
  createdBy: actor,
  updatedAt: timestamp,
  updatedBy: actor,
  lastUsedAt: null,
  openRuns: 0,
  workflows: [],
};

test('lists all pages with who, when and where', async () => {
  const bank = { ...portal, name: 'bank', lastUsedAt: timestamp, workflows: ['pay', 'report'] };
  api.handlers.listSecrets = ({ query }) =>
    query['cursor'] === 'next' ? { items: [bank], nextCursor: null } : { items: [portal], nextCursor: 'next' };
  const { code, out } = await run(['list']);
  expect(code).toBe(0);
  expect(out).toMatch(/portal-password +1 +4 min ago +ann@shop\.example +never/);
  expect(out).toMatch(/bank +1 +4 min ago +ann@shop\.example +4 min ago +pay, report/);
  expect(JSON.parse((await run(['list', '--json'])).out)).toEqual({ items: [portal, bank] });
});

test('an empty list prints how to create a secret', async () => {
  api.handlers.listSecrets = () => ({ items: [], nextCursor: null });
  const { code, out, err } = await run(['list']);
  expect([code, out, err]).toEqual([0, '', 'No secrets. Create one: npx pilothouse secrets set <name>\n']);
});

test.each<[string, string[], Partial<ProcessOptions>]>([
  ['a prompt', [], { answer: 'hush 1' }],
  ['stdin', [], { input: 'hush 1\n' }],
  ['a variable', ['--from-env', 'PORTAL'], { environment: { PORTAL: 'hush 1' } }],
  ['a file', ['--from-file', 'value.txt'], {}],
])('a value comes from %s and is not printed', async (_, args, options) => {
  await writeFile(join(folder, 'value.txt'), 'hush 1\r\n');
  api.handlers.saveSecret = () => portal;
  const { code, out, err } = await run(['set', 'portal-password', ...args, '--description', 'Robot'], options);
  expect(code).toBe(0);
  expect(out).toMatch(/^Created secret portal-password\. Use it: .*--input-from-secret/);
  expect(out + err).not.toContain('hush');
  expect(api.requests).toMatchObject([
    { params: { secret: 'portal-password' }, body: { value: 'hush 1', description: 'Robot' } },
  ]);
});

test('a replaced value names the runs that get it', async () => {
  api.handlers.saveSecret = () => ({ ...portal, version: 2, openRuns: 2 });
  const { out } = await run(['set', 'portal-password'], { input: 'hush' });
  expect(out).toBe('Replaced the value of secret portal-password, version 2. 2 open runs will type the new value\n');
  expect(api.requests).toMatchObject([{ body: { value: 'hush' } }]);
});

test.each<[string[], Partial<ProcessOptions>, RegExp]>([
  [['set', 'Portal Password'], { input: 'hush' }, /Invalid secret name/],
  [['set', 'portal'], { input: '\n' }, /The value is empty\.[^]*--from-env/],
  [['set', 'portal'], { input: 'hush'.repeat(9_000) }, /36000 characters\.[^]*at most 32768/],
  [['set', 'portal', '--from-env', 'NONE'], {}, /NONE is not set/],
  [['set', 'portal', '--from-file', 'none.txt'], {}, /Cannot read none\.txt/],
  [['set', 'portal', '--from-file', 'a', '--from-env', 'B'], {}, /not both/],
  [['set', 'portal', 'hush'], {}, /A value is no argument/],
])('%j is refused before a request', async (args, options, problem) => {
  const { code, err } = await run(args, options);
  expect([code, err]).toEqual([2, expect.stringMatching(problem)]);
  expect(err).not.toContain('hush');
  expect(api.requests).toEqual([]);
});

test('a deletion names the runs that will fail; an unknown secret is an error', async () => {
  api.handlers.deleteSecret = () => ({ ...portal, openRuns: 1, workflows: ['pay'] });
  expect(await run(['delete', 'portal-password'])).toMatchObject({
    code: 0,
    out: 'Deleted secret portal-password.\n',
    err: expect.stringMatching(/^1 open run \(pay\) will fail/),
  });
  api.handlers.deleteSecret = () => {
    throw new PilothouseError('NOT_FOUND', 'Secret "portal-pasword" not found.');
  };
  api.handlers.listSecrets = () => ({ items: [portal], nextCursor: null });
  expect(await run(['delete', 'portal-pasword'])).toMatchObject({
    code: 2,
    err: 'error  Secret "portal-pasword" not found. Did you mean portal-password?\n',
  });
});
