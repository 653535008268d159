/** Characters of a boundary (RFC 2046). */
const BOUNDARY = /boundary="?([\w'()+,./:=?-]{1,70})"?/;

/**
 * Reads the first frame of a `multipart/x-mixed-replace` response.
 * @returns the JPEG; null: the stream ended before, or the frame has more than `maxBytes`
 */
export async function firstFrame(response: Response, maxBytes: number): Promise<Buffer | null> {
  const boundary = BOUNDARY.exec(response.headers.get('content-type') ?? '')?.[1];
  if (boundary === undefined || response.body === null) return null;
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    const bytes = Buffer.concat(chunks);
    const start = bytes.indexOf('\r\n\r\n');
    const end = start < 0 ? -1 : bytes.indexOf(delimiter, start + 4);
    if (end >= 0) return bytes.subarray(start + 4, end);
    if (size > maxBytes) return null;
  }
  return null;
}
