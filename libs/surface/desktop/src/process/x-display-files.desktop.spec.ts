import { mkdir, rm, writeFile } from 'node:fs/promises';
import { unusedDisplay } from './x-display-files.ts';

const SOCKET = '/tmp/.X11-unix/X58998';

afterEach(() => rm(SOCKET, { force: true }));

test('a display with a stale socket is not used', async () => {
  await mkdir('/tmp/.X11-unix', { recursive: true });
  await writeFile(SOCKET, '');
  const numbers = [58_998, 58_998, 58_997];
  expect(await unusedDisplay(() => numbers.shift() ?? Number.NaN)).toBe(':58997');
});

test('without a free display the error has the fix', async () => {
  await mkdir('/tmp/.X11-unix', { recursive: true });
  await writeFile(SOCKET, '');
  await expect(unusedDisplay(() => 58_998)).rejects.toThrow('remove stale sockets from /tmp/.X11-unix');
});
