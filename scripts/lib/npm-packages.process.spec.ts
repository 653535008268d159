import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const RUN_ID = '0197a2b0-0000-7000-8000-000000000001';

/** A folder below the clone, which has the dependencies of the packages. */
let folder: string;
let api: Server;
let url: string;
const requests: string[] = [];

beforeAll(async () => {
  await run(process.execPath, [join(root, 'scripts/npm-packages.ts')]);
  await mkdir(join(root, 'dist'), { recursive: true });
  folder = await mkdtemp(join(root, 'dist/npm-spec-'));
  await mkdir(join(folder, 'node_modules/@pilothouse'), { recursive: true });
  for (const name of ['client', 'cli'])
    await symlink(join(root, 'dist/npm', name), join(folder, 'node_modules/@pilothouse', name));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  api = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: RUN_ID, status: 'completed', output: { total: 12 } }));
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
}, 120_000);
afterAll(async () => {
  api.close();
  await rm(folder, { recursive: true, force: true });
});

const PROGRAM = `import { createClient, unwrapData, type components } from '@pilothouse/client';
const client = createClient({ url: process.env['API'] ?? '', key: 'ph_key' });
const run = await unwrapData(client.api.GET('/v1/runs/{run}', { params: { path: { run: '${RUN_ID}' } } }));
const status: components['schemas']['Run']['status'] = run.status;
console.log(status);
`;

/** Checks the types of a program as its user would. @returns the messages of the compiler */
async function typeErrorsOf(name: string, program: string): Promise<string> {
  await writeFile(join(folder, name), program);
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2024', types: ['node'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [name] }));
  const check = run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], { cwd: folder });
  return check.then(
    () => '',
    ({ stdout }) => stdout,
  );
}

test('the types and the code of the client work in a strict program', async () => {
  expect(await typeErrorsOf('main.ts', PROGRAM)).toBe('');
  const environment = { ...process.env, API: url };
  const { stdout } = await run(process.execPath, ['--no-warnings', 'main.ts'], { cwd: folder, env: environment });
  expect(stdout.trim()).toBe('completed');
  expect(requests).toContain(`GET /v1/runs/${RUN_ID} Bearer ph_key`);
}, 120_000);

test('a wrong path of the API is a type error', async () => {
  const program = PROGRAM.replace('/v1/runs/{run}', '/v1/run/{run}');
  expect(await typeErrorsOf('wrong.ts', program)).toContain('/v1/run/{run}');
}, 120_000);

test('the command runs outside a clone and says what needs one', async () => {
  const main = join(folder, 'node_modules/@pilothouse/cli/main.js');
  await writeFile(join(folder, 'wrong.yaml'), 'steps:\n  - action: clik\n');
  const lint = run(main, ['lint', 'wrong.yaml'], { cwd: folder });
  await expect(lint).rejects.toMatchObject({ code: 2, stdout: expect.stringContaining('clik') });
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const manifest = JSON.parse(await readFile(join(root, 'dist/npm/cli/package.json'), 'utf8'));
  expect(manifest).toMatchObject({ name: '@pilothouse/cli', version, bin: { pilothouse: './main.js' } });
});
