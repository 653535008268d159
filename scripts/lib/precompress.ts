/** Compresses the files for browsers at build time, so that the server only reads them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

/** A compressed file that is larger than this part of the plain one is not worth a separate file. */
const WORTHWHILE = 0.9;

/** Writes `<file>.br` beside each file of the folder, where that is smaller. One file at a time: an encoder holds megabytes. */
export function precompress(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.br')) continue;
    const path = join(entry.parentPath, entry.name);
    const plain = readFileSync(path);
    const compressed = brotliCompressSync(plain);
    if (compressed.length < plain.length * WORTHWHILE) writeFileSync(`${path}.br`, compressed);
  }
}
