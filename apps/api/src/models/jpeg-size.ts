/** Frame markers of JPEG files, which have the size. */
const isFrameMarker = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Size of a JPEG in pixels; null: not a JPEG. @param data base64 */
export function jpegSize(data: string): { readonly width: number; readonly height: number } | null {
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  let position = 2;
  while (position + 9 <= bytes.length && bytes[position] === 0xff) {
    const marker = bytes[position + 1] ?? 0;
    if (isFrameMarker(marker))
      return { height: bytes.readUInt16BE(position + 5), width: bytes.readUInt16BE(position + 7) };
    position += 2 + Math.max(2, bytes.readUInt16BE(position + 2));
  }
  return null;
}
