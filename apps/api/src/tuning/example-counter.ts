import type { Json } from '@pilothouse/contract/primitives.schema';
import { countExample, type ExampleCounts } from '@pilothouse/core/learning/tuning/tuning-estimate';

/** Maximum number of bytes that an estimate reads of a file. */
const MAX_READ_BYTES = 32 * 1024 * 1024;

/** Maximum number of bytes of a line. It is parsed at once. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** Counts of the first lines of a file, and the bytes of these lines. */
export interface CountedLines extends ExampleCounts {
  readonly bytes: number;
  /** Problem of the first invalid line; null: none. */
  readonly problem: string | null;
}

/**
 * Counts the examples of a file of JSON lines. Reads complete lines only, and stops at an invalid one.
 * @param maxBytes bytes after which no further line is read
 */
export async function countExamples(chunks: AsyncIterable<Buffer>, maxBytes = MAX_READ_BYTES): Promise<CountedLines> {
  const counts = { examples: 0, textBytes: 0, images: 0, bytes: 0 };
  let lineNumber = 0;
  for await (const line of linesOf(chunks, maxBytes)) {
    lineNumber += 1;
    if (line === null)
      return { ...counts, problem: `Line ${lineNumber} has more than ${MAX_LINE_BYTES} bytes. Use a shorter example.` };
    counts.bytes += line.length + 1;
    const text = line.toString('utf8');
    if (text.trim() === '') continue;
    const example = parseObject(text);
    if (example === null)
      return { ...counts, problem: `Line ${lineNumber} is not a JSON object. Write one example per line.` };
    const { textBytes, images } = countExample(example);
    counts.examples += 1;
    counts.textBytes += textBytes;
    counts.images += images;
  }
  return { ...counts, problem: null };
}

/** Complete lines of the first bytes. The end of the file completes a line. A line that is too long is returned as null, and ends the list. */
async function* linesOf(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer | null> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let bytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      if (pendingBytes + end - start > MAX_LINE_BYTES) return yield null;
      yield Buffer.concat([...pending, chunk.subarray(start, end)]);
      pending = [];
      pendingBytes = 0;
      start = end + 1;
    }
    pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > MAX_LINE_BYTES) return yield null;
    bytes += chunk.length;
    if (bytes >= maxBytes) return;
  }
  const last = Buffer.concat(pending);
  if (last.length > 0) yield last;
}

function parseObject(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
