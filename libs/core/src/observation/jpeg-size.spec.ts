import { jpegSize, readJpegSize } from './jpeg-size.ts';

/** The beginning of a JPEG of 1280 × 801 pixels. @param marker of its frame: 0xc0 baseline, 0xc2 progressive */
const aJpeg = (marker: number) =>
  Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 16, ...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0],
    ...[0xff, 0xc4, 0, 4, 0, 0],
    ...[0xff, marker, 0, 17, 8, 0x03, 0x21, 0x05, 0x00, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1],
  ]);

test.each([0xc0, 0xc2])('reads the size before a frame with marker %i', (marker) => {
  expect(jpegSize(aJpeg(marker))).toEqual({ width: 1280, height: 801 });
});

test.each([
  ['another file', Buffer.from('iVBORw0KGgo=', 'base64')],
  ['no data', Buffer.alloc(0)],
  ['a cut file', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff])],
])('%s has no size', (_title, body) => {
  expect(readJpegSize(body)).toBeNull();
  expect(() => jpegSize(body)).toThrow('Not a JPEG');
});
