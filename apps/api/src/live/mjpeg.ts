/** Between two frames; no JPEG begins like this. */
const BOUNDARY = 'pilothouse-frame';

/** Of a stream of JPEGs each of which takes the place of the one before: what an `<img>` shows as a film. */
export const CONTENT_TYPE = `multipart/x-mixed-replace; boundary=${BOUNDARY}`;

/** Frames as such a stream. Each is closed at once: a browser shows a part when the next boundary is there. */
export async function* mjpeg(frames: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(`--${BOUNDARY}\r\n`);
  for await (const jpeg of frames) {
    const head = `Content-Type: image/jpeg\r\nContent-Length: ${jpeg.length}\r\n\r\n`;
    yield Buffer.concat([Buffer.from(head), jpeg, Buffer.from(`\r\n--${BOUNDARY}\r\n`)]);
  }
}
