/** Width and height of a JPEG, in pixels, from its frame header. */
export function jpegSize(body: Buffer): { width: number; height: number } {
  let at = 2;
  while (at + 9 < body.length && body[at] === 0xff) {
    const marker = body[at + 1] ?? 0;
    const startOfFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (startOfFrame) return { height: body.readUInt16BE(at + 5), width: body.readUInt16BE(at + 7) };
    at += 2 + body.readUInt16BE(at + 2);
  }
  throw new Error('Not a JPEG');
}
