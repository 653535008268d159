import { fstatSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerConfig } from './worker.config.ts';
import { readWorkerToken } from './worker-token.ts';

const TOKEN = 'ft_0123456789abcdefghij';
const gateway = { PILOTHOUSE_GATEWAY_URL: 'ws://h/v1/gateway' };

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'token-'));
  file = join(folder, 'token');
  await writeFile(file, `${TOKEN}\n`, { mode: 0o600 });
});
afterEach(() => rm(folder, { recursive: true }));

test('the token of a worker comes from a file or a descriptor', () => {
  expect(workerConfig({ ...gateway, PILOTHOUSE_FLEET_TOKEN_FILE: file }).tokenSource).toEqual({ file });
  expect(workerConfig({ ...gateway, PILOTHOUSE_FLEET_TOKEN_FD: '3' }).tokenSource).toEqual({ descriptor: 3 });
  expect(readWorkerToken({ file })).toBe(TOKEN);
});

test('a descriptor is closed after it was read, so that no child process inherits it', () => {
  const descriptor = openSync(file, 'r');
  expect(readWorkerToken({ descriptor })).toBe(TOKEN);
  expect(() => fstatSync(descriptor)).toThrow('EBADF');
  expect(() => readWorkerToken({ descriptor })).toThrow(
    expect.objectContaining({
      problems: [expect.stringMatching(/^PILOTHOUSE_FLEET_TOKEN_FD: cannot be read \(EBADF\)/)],
    }),
  );
});

test.each([
  [
    'in the environment',
    { PILOTHOUSE_FLEET_TOKEN: TOKEN },
    /^PILOTHOUSE_FLEET_TOKEN: .*set PILOTHOUSE_FLEET_TOKEN_FILE/,
  ],
  ['nowhere', {}, /^PILOTHOUSE_FLEET_TOKEN_FILE is not set/],
  [
    'in two places',
    { PILOTHOUSE_FLEET_TOKEN_FILE: '/a', PILOTHOUSE_FLEET_TOKEN_FD: '3' },
    /^PILOTHOUSE_FLEET_TOKEN_FD: unset/,
  ],
  ['on a standard stream', { PILOTHOUSE_FLEET_TOKEN_FD: '0' }, /^PILOTHOUSE_FLEET_TOKEN_FD: .*from 3/],
])('a token %s is refused', (_, variables, problem) =>
  expect(() => workerConfig({ ...gateway, ...variables })).toThrow(
    expect.objectContaining({ problems: [expect.stringMatching(problem)] }),
  ),
);

test('problems of the token stand beside others, and no message contains the token', () => {
  const read = () => workerConfig({ PILOTHOUSE_FLEET_TOKEN: TOKEN });
  expect(read).toThrow(
    expect.objectContaining({
      problems: ['PILOTHOUSE_GATEWAY_URL is not set.', expect.stringMatching(/^PILOTHOUSE_FLEET_TOKEN:/)],
    }),
  );
  expect(read).not.toThrow(TOKEN);
});

test.each([
  ['is empty', ''],
  ['is too short', 'ft_1'],
  ['has several words', 'ft_0123456789 abcdefghij'],
])('a file that %s is refused', async (_, text) => {
  await writeFile(file, text);
  expect(() => readWorkerToken({ file })).toThrow('PILOTHOUSE_FLEET_TOKEN_FILE: its content is not a token');
});

test('a file that does not exist is refused', () =>
  expect(() => readWorkerToken({ file: join(folder, 'none') })).toThrow(
    'PILOTHOUSE_FLEET_TOKEN_FILE: cannot be read (ENOENT)',
  ));
