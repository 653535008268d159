import { open, readFile } from 'node:fs/promises';

/** Bytes that are read at a time. */
const CHUNK_BYTES = 1_048_576;

/**
 * Counts how often a text is in the writable memory of another process: as UTF-8, UTF-16 and base64. Needs root, or a dumpable process of
 * the same user.
 * @throws Error if the memory cannot be read
 */
export async function countInMemory(pid: number, text: string): Promise<number> {
  const forms = [Buffer.from(text), Buffer.from(text, 'utf16le'), Buffer.from(Buffer.from(text).toString('base64'))];
  const longest = Math.max(...forms.map((form) => form.length));
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8');
  const memory = await open(`/proc/${pid}/mem`);
  let count = 0;
  try {
    for (const [, first = '', last = ''] of maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm)) {
      const end = Number.parseInt(last, 16);
      for (let start = Number.parseInt(first, 16); start < end; start += CHUNK_BYTES) {
        // A text may cross the border of two chunks.
        const buffer = Buffer.alloc(Math.min(CHUNK_BYTES + longest - 1, end - start));
        const read = await memory.read(buffer, 0, buffer.length, start).catch(() => null);
        if (read === null) continue;
        for (const form of forms)
          for (
            let found = buffer.indexOf(form);
            found >= 0 && found < CHUNK_BYTES;
            found = buffer.indexOf(form, found + 1)
          )
            count += 1;
      }
    }
  } finally {
    await memory.close();
  }
  return count;
}
