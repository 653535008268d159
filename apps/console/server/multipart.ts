const HEAD_END = '\r\n\r\n';

/**
 * Parts of a `multipart/x-mixed-replace` that begins with its boundary, as the API sends films. A part counts when its boundary has come: what
 * breaks off is none.
 */
export async function* readMultipart(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  let boundary: Buffer | undefined;
  let isHead = true;
  for await (const chunk of body) {
    rest = Buffer.concat([rest, chunk]);
    if (!boundary) {
      const end = rest.indexOf('\r\n');
      if (end < 0) continue;
      boundary = Buffer.concat([Buffer.from('\r\n'), rest.subarray(0, end)]);
    }
    for (;;) {
      const delimiter = isHead ? HEAD_END : boundary;
      const end = rest.indexOf(delimiter);
      if (end < 0) break;
      if (!isHead) yield rest.subarray(0, end);
      rest = rest.subarray(end + delimiter.length);
      isHead = !isHead;
    }
  }
}
