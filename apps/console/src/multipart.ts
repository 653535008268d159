/**
 * Parts of a `multipart/x-mixed-replace` that say how long they are, as the API sends films.
 * @throws Error when a part does not say it
 */
export async function* partsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  /** Bytes of the part whose head was read; undefined: its head is not whole yet. */
  let length: number | undefined;
  for await (const chunk of body) {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      if (length === undefined) {
        const end = rest.indexOf('\r\n\r\n');
        if (end < 0) break;
        const given = /content-length: *(\d+)/i.exec(rest.subarray(0, end).toString('latin1'))?.[1];
        if (given === undefined) throw new Error('A part does not say how long it is');
        length = Number(given);
        rest = rest.subarray(end + 4);
      }
      if (rest.length < length) break;
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
      length = undefined;
    }
  }
}
