import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { startVirtualDisplay } from './virtual-display.ts';

/** Response of the display to a client: 1 accepted, 0 refused. */
async function knock(display: string, cookie: Buffer): Promise<number | undefined> {
  const socket = connect(`/tmp/.X11-unix/X${display.slice(1)}`);
  const name = Buffer.from(cookie.length > 0 ? 'MIT-MAGIC-COOKIE-1' : '');
  const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  const head = Buffer.alloc(12);
  head.write('l');
  head.writeUInt16LE(11, 2);
  head.writeUInt16LE(name.length, 6);
  head.writeUInt16LE(cookie.length, 8);
  socket.write(Buffer.concat([head, padded(name), padded(cookie)]));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer[0];
}

test('only clients with the cookie of a display can connect', async () => {
  const display = await startVirtualDisplay({ PATH: process.env.PATH ?? '' }, memoryLog(), tmpdir());
  if (!display) throw new Error('Xvfb is not installed');
  try {
    expect((await stat(display.authority)).mode & 0o777).toBe(0o600);
    const cookie = (await readFile(display.authority)).subarray(-16);
    expect(await knock(display.name, cookie)).toBe(1);
    expect(await knock(display.name, Buffer.alloc(16))).toBe(0);
    expect(await knock(display.name, Buffer.alloc(0))).toBe(0);
  } finally {
    await display.stop();
  }
  await expect(stat(display.authority)).rejects.toThrow();
});
