import { Duplex, PassThrough } from 'node:stream';
import { encodeFrame, FrameChannel } from './frame-channel.ts';

/** Receives bytes as a session process sends them. */
function receiver(maxBytes = Infinity) {
  const input = new PassThrough();
  const stream = Duplex.from({ readable: input, writable: new PassThrough() });
  const messages: unknown[] = [];
  const closed = Promise.withResolvers<Error | undefined>();
  const listener = { onMessage: (message: unknown) => messages.push(message), onClose: closed.resolve };
  const channel = new FrameChannel(stream, listener, { peer: 'helper', maxBytes });
  return { input, messages, closed: closed.promise, channel };
}

/** A frame with any prefix and content. */
function rawFrame(
  json: string,
  data = Buffer.alloc(0),
  [jsonBytes, dataBytes] = [Buffer.byteLength(json), data.length],
) {
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32BE(jsonBytes ?? 0, 0);
  prefix.writeUInt32BE(dataBytes ?? 0, 4);
  return Buffer.concat([prefix, Buffer.from(json), data]);
}

test('messages with and without bytes arrive in order, however they are cut', async () => {
  const { input, messages, closed } = receiver();
  const first = { type: 'response', id: 1, result: { body: Buffer.from([0, 255, 7]), width: 3 } };
  const second = { type: 'response', id: 2, result: null };
  const bytes = Buffer.concat([
    encodeFrame(first, 'helper'),
    encodeFrame(second, 'helper'),
    encodeFrame(first, 'helper'),
  ]);
  for (const byte of bytes) input.write(Buffer.from([byte]));
  input.end();
  expect(await closed).toBeUndefined();
  expect(messages).toEqual([first, second, first]);
});

test.each([
  ['a JSON part above the limit', rawFrame('{}', Buffer.alloc(0), [0x7f_ff_ff_ff, 0]), 'The helper sent a frame above'],
  ['a binary part above the limit', rawFrame('{}', Buffer.alloc(0), [2, 0xff_ff_ff_ff]), 'above the limit'],
  ['no JSON', rawFrame('message'), 'JSON'],
  ['no message', rawFrame('{"message":7,"binary":null}'), 'no message'],
  ['bytes for a missing place', rawFrame('{"message":{},"binary":["result","body"]}'), 'without a place'],
  ['bytes for a prototype', rawFrame('{"message":{},"binary":["__proto__","toString"]}'), 'without a place'],
  ['bytes for a used place', rawFrame('{"message":{"a":{"b":1}},"binary":["a","b"]}'), 'without a place'],
])('a session that sends %s is cut off', async (_, bytes, reason) => {
  const { input, messages, closed } = receiver();
  input.write(bytes);
  expect((await closed)?.message).toContain(reason);
  expect(messages).toEqual([]);
});

test('a channel with a limit takes longer frames only after it ends', async () => {
  const long = { type: 'response', text: 'x'.repeat(200) };
  const limited = receiver(100);
  limited.input.write(encodeFrame(long, 'helper'));
  expect((await limited.closed)?.message).toContain('above the limit');
  const open = receiver(100);
  open.channel.acceptLongFrames();
  open.input.end(encodeFrame(long, 'helper'));
  expect(await open.closed).toBeUndefined();
  expect(open.messages).toEqual([long]);
});

test.each([
  ['a frame in parts', encodeFrame({ args: { text: 'secret' } }, 'helper')],
  ['no JSON', rawFrame('secret')],
])('no received byte of %s stays', async (_, bytes) => {
  const { stream, closed } = (() => {
    const end = Promise.withResolvers<Error | undefined>();
    const duplex = new Duplex({ read: () => undefined, write: () => undefined });
    new FrameChannel(duplex, { onMessage: () => undefined, onClose: end.resolve }, { peer: 'helper' });
    return { stream: duplex, closed: end.promise };
  })();
  const chunks = [Buffer.from(bytes.subarray(0, 12)), Buffer.from(bytes.subarray(12))];
  for (const chunk of chunks) stream.emit('data', chunk);
  stream.push(null);
  stream.resume();
  await closed;
  expect(Buffer.concat(chunks).every((byte) => byte === 0)).toBe(true);
});

test('nothing more is sent to a side that does not read', async () => {
  const stream = new Duplex({ read: () => undefined, write: () => undefined });
  const channel = new FrameChannel(stream, { onMessage: jest.fn(), onClose: jest.fn() }, { peer: 'helper' });
  const bytes = Buffer.alloc(41 * 1_048_576);
  for (let count = 0; count < 2; count += 1) channel.send({ args: { bytes } });
  expect(await new Promise((resolve) => channel.send({}, resolve))).toMatchObject({
    message: 'The helper does not read its messages',
  });
});

test('a message above the limit is refused where it is sent', () => {
  expect(() => encodeFrame({ text: 'x'.repeat(17 * 1_048_576) }, 'helper')).toThrow(
    'The message to the helper is above the limit',
  );
});

test('a closed channel reports that it cannot send', async () => {
  const { channel } = receiver();
  channel.close();
  expect(await new Promise((resolve) => channel.send({}, resolve))).toMatchObject({
    message: expect.stringContaining('is closed'),
  });
});
