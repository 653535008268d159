import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiFixture } from '../testing/api.fixture.ts';
import { runCli } from '../testing/cli.fixture.ts';
import { aRun, aWorkflow, id } from '../testing/views.fixture.ts';
import { compileCommand } from './compile-run.command.ts';

const api = new ApiFixture();
let cwd: string;
beforeAll(async () => {
  await api.start();
  cwd = await mkdtemp(join(tmpdir(), 'pilothouse-compile-spec-'));
});
beforeEach(() => {
  api.requests.splice(0);
  api.handlers.listRuns = () => ({ items: [aRun()], nextCursor: null });
});
afterAll(async () => {
  await api.stop();
  await rm(cwd, { recursive: true });
});

const run = (...args: string[]) =>
  runCli(compileCommand, args, { url: api.url, cwd, environment: { PORTAL_PASSWORD: 'a-secret-of-this-spec' } });

test('prints the workflow, and notes and the next step to stderr', async () => {
  api.handlers.compileRun = () => ({
    workflow: aWorkflow({ published: false }),
    notes: ['Look at it'],
    verification: null,
  });
  const { code, out, err } = await run('last', '--name', 'harbour-order');
  expect(code).toBe(0);
  expect(out).toMatch(/^name: /);
  expect(err).toContain(
    'Note: Look at it\nharbour-order: version 1, a draft\nRun the draft: npx pilothouse run harbour-order',
  );
  expect(api.of('compileRun')).toMatchObject([
    { params: { run: id(1) }, body: { name: 'harbour-order', verify: false, inputs: {} } },
  ]);
});

test('verifies it with secrets from variables, and writes it to a file', async () => {
  api.handlers.compileRun = () => ({ workflow: aWorkflow(), notes: [], verification: { run: id(7), reason: null } });
  const { out, err } = await run(
    'last',
    '--verify',
    '--input-from-env',
    'password=PORTAL_PASSWORD',
    '--output',
    'made.yaml',
  );
  expect(out).toBe('');
  expect(await readFile(join(cwd, 'made.yaml'), 'utf8')).toMatch(/^name: /);
  expect(err).toMatch(/Verification run \S+: npx pilothouse logs -f/);
  expect(err).not.toContain('a-secret-of-this-spec');
  expect(api.of('compileRun')).toMatchObject([
    { body: { verify: true, inputs: { password: 'a-secret-of-this-spec' } } },
  ]);
});

test('prints why it is not verified; secrets without --verify are invalid usage', async () => {
  api.handlers.compileRun = () => ({
    workflow: aWorkflow(),
    notes: [],
    verification: { run: null, reason: 'It pays' },
  });
  expect((await run('last', '--verify')).err).toContain('Not verified: It pays');
  api.requests.splice(0);
  expect((await run('last', '--input-from-env', 'password=PORTAL_PASSWORD')).code).toBe(2);
  expect(api.of('compileRun')).toEqual([]);
});
