import { poll } from '@pilothouse/core/time/deadlines';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeFrame, FrameChannel } from '../session/frame-channel.ts';
import { contextWithin } from '../testing/desktop.fixture.ts';
import { SlotConnection } from './slot-connection.ts';
import type { SlotReport, SlotRequest } from './slot-protocol.ts';

const KEY = 'key-of-the-slots';

let folder: string;
let timers: ManualTimers;
let warnings: string[];
let slot: SlotConnection;

/** Opens a socket to the worker as soon as it listens. */
async function dial(): Promise<Socket> {
  const socket = await poll(async () => {
    const attempt = connect(join(folder, 'slot-0/worker.sock'));
    return once(attempt, 'connect').then(
      () => attempt,
      () => undefined,
    );
  }, contextWithin(10));
  if (!socket) throw new Error('The worker did not listen');
  socket.on('error', () => undefined);
  return socket;
}

/** A supervisor that answers nothing by itself. */
async function supervisor(key = KEY) {
  const socket = await dial();
  const requests: SlotRequest[] = [];
  const closed = Promise.withResolvers<undefined>();
  const listener = {
    onMessage: (request: unknown) => requests.push(request as SlotRequest),
    onClose: () => closed.resolve(undefined),
  };
  const channel = new FrameChannel(socket, listener, { peer: 'worker' });
  const report = (message: SlotReport) => channel.send(message);
  report({ type: 'hello', key });
  return { channel, requests, report, closed: closed.promise };
}

const expectSoon = async (condition: () => boolean) =>
  expect(await poll(async () => condition() || undefined, contextWithin(10))).toBe(true);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pilothouse-connection-'));
  timers = new ManualTimers();
  warnings = [];
  const log = { info: () => undefined, warn: (_: object, message: string) => void warnings.push(message) };
  const socket = join(folder, 'slot-0/worker.sock');
  slot = new SlotConnection({ socket, key: KEY, log, timers, onChange: () => undefined });
});

afterEach(async () => {
  await slot.close();
  await rm(folder, { recursive: true });
});

test.each([
  ['a first frame above 4 KiB', encodeFrame({ type: 'hello', key: KEY, filler: 'x'.repeat(4_096) }, 'worker')],
  ['another first message', encodeFrame({ type: 'ready' }, 'worker')],
  ['no frame', Buffer.alloc(5_000, 0xff)],
])('a program that sends %s is cut off', async (_, bytes) => {
  const socket = await dial();
  socket.resume().write(bytes);
  await once(socket, 'close');
  expect(slot.state).toBe('offline');
});

test('a connection that sends no key is cut off after two seconds', async () => {
  const socket = await dial();
  socket.resume();
  await expectSoon(() => timers.delays.length === 1);
  const closed = once(socket, 'close');
  await timers.advance(2_000);
  await closed;
});

test('a supervisor with another key gets the reason, the worker logs it once, and a later one is accepted', async () => {
  for (const key of ['the-rotated-key', 'the-rotated-key']) {
    const refused = await supervisor(key);
    await refused.closed;
    expect(refused.requests).toEqual([{ type: 'refuse', reason: expect.stringContaining('delete the pod') }]);
  }
  expect(warnings).toEqual([slot.refusal]);
  expect(slot.refusal).toContain('`slot-key`');
  const { report } = await supervisor();
  report({ type: 'ready' });
  await expectSoon(() => slot.state === 'ready');
  expect(slot.refusal).toBeNull();
});

test('a session that reads slowly gets the next piece only after the last one', async () => {
  const { report, requests } = await supervisor();
  report({ type: 'ready' });
  await expectSoon(() => slot.state === 'ready');
  const stream = slot.start({}).on('error', () => undefined);
  const sent = Buffer.alloc(2_500_000, 7);
  let isWritten = false;
  stream.write(sent, () => (isWritten = true));
  const pieces = () => requests.flatMap((request) => (request.type === 'data' ? [request.chunk.bytes] : []));
  for (const count of [1, 2, 3]) {
    await expectSoon(() => pieces().length === count);
    expect(isWritten).toBe(false);
    expect(pieces().at(-1)?.length).toBeLessThanOrEqual(1_048_576);
    report({ type: 'written' });
  }
  await expectSoon(() => isWritten);
  expect(Buffer.concat(pieces()).equals(sent)).toBe(true);
});

test('a write in flight fails when the session is lost', async () => {
  const { report, channel } = await supervisor();
  report({ type: 'ready' });
  await expectSoon(() => slot.state === 'ready');
  const stream = slot.start({}).on('error', () => undefined);
  const written = new Promise((resolve) => stream.write(Buffer.alloc(10), resolve));
  channel.close();
  expect(await written).toMatchObject({ message: expect.stringContaining('container of the desktop session ended') });
});
