import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Path of the file with the cookie of a session. */
export const authorityFile = (folder: string): string => join(folder, 'runtime', 'authority');

/** Writes a file as `xauth` does: one cookie, for every address and display (Xau, FamilyWild). Only its owner can read it. */
export async function writeAuthority(file: string, cookie: Buffer): Promise<void> {
  const counted = (bytes: Buffer) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const empty = Buffer.alloc(0);
  const parts = [empty, empty, Buffer.from('MIT-MAGIC-COOKIE-1'), cookie].map(counted);
  await writeFile(file, Buffer.concat([Buffer.from([0xff, 0xff]), ...parts]), { mode: 0o600 });
  await chmod(file, 0o600);
}
