const HEAD_END = '\r\n\r\n';

/** Reads the parts of a `multipart/x-mixed-replace` body that starts with its boundary. Incomplete parts are dropped. */
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
