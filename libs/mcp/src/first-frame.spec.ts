import { Readable } from 'node:stream';
import { firstFrame } from './first-frame.ts';

const stream = (chunks: readonly string[], type = 'multipart/x-mixed-replace; boundary=b1') =>
  new Response(Readable.toWeb(Readable.from(chunks.map((chunk) => Buffer.from(chunk, 'latin1')))) as BodyInit, {
    headers: { 'content-type': type },
  });
const head = '--b1\r\nContent-Type: image/jpeg\r\n\r\n';

test.each([
  ['in one chunk', [`${head}first\r\n${head}second`], 'first'],
  ['across chunks', ['--b1\r\nContent-', 'Type: image/jpeg\r\n\r\nfi', 'rst\r\n', '--b1\r\n'], 'first'],
  ['that ends early', [`${head}fir`], undefined],
  ['that is too large', [head, 'x'.repeat(2000)], undefined],
])('reads a frame %s', async (_, chunks, frame) =>
  expect((await firstFrame(stream(chunks), 1000))?.toString()).toBe(frame),
);

test('ignores a response without a boundary', async () =>
  expect(await firstFrame(stream([head], 'image/jpeg'), 1000)).toBeNull());
