import { poll } from '@pilothouse/core/time/deadlines';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { contextWithin, processesBelow } from './testing/desktop.fixture.ts';
import { encodeFrame } from './session/frame-channel.ts';
import { defaultSessionOptions } from './process/session-options.ts';
import { authorityFile } from './process/x-authority.ts';

test('a worker that exits while a session starts leaves no program', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-desktop-'));
  const display = ':58999';
  const source = join(import.meta.dirname, 'session-process.ts');
  const child = spawn(process.execPath, ['--experimental-transform-types', '--no-warnings', source], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    env: { HOME: folder, DISPLAY: display, XAUTHORITY: authorityFile(folder), PATH: '/usr/bin:/bin' },
  });
  const args = { ...defaultSessionOptions, folder, environment: {}, id: 'a-session', display, uid: null };
  const channel = child.stdio[3] as Duplex;
  channel.write(encodeFrame({ id: 1, procedure: 'start', args }, 'desktop session'));
  const server = await poll(async () => (await processesBelow(folder, 'Xvfb'))[0], contextWithin(20));
  expect(server).toBeDefined();
  channel.destroy();
  await once(child, 'exit');
  expect(await processesBelow(folder, '')).toEqual([]);
  await rm(folder, { recursive: true });
}, 60_000);
