/** Width and height of an image, in pixels. */
interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Frame markers of JPEG files, which have the size. */
const isFrameMarker = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Reads the size of a JPEG from its frame header. @returns null: not a JPEG */
export function readJpegSize(body: Buffer): ImageSize | null {
  if (body.length < 4 || body.readUInt16BE(0) !== 0xffd8) return null;
  let offset = 2;
  while (offset + 9 <= body.length && body[offset] === 0xff) {
    const marker = body[offset + 1] ?? 0;
    if (isFrameMarker(marker)) return { height: body.readUInt16BE(offset + 5), width: body.readUInt16BE(offset + 7) };
    offset += 2 + Math.max(2, body.readUInt16BE(offset + 2));
  }
  return null;
}

/** The size of a JPEG. @throws Error if it is not a JPEG */
export function jpegSize(body: Buffer): ImageSize {
  const size = readJpegSize(body);
  if (size === null) throw new Error('Not a JPEG');
  return size;
}
