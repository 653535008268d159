import { hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PilothouseError } from '@pilothouse/contract';

/** Bytes of a master key and of every key that is derived from it. */
export const KEY_BYTES = 32;

/**
 * A key for one purpose (HKDF-SHA256, RFC 5869). Keys of different purposes tell nothing about each other, so one that leaks
 * endangers neither the master key nor the others.
 * @param salt of a single use, where the purpose has many
 */
export function deriveKey(
  from: Buffer,
  purpose: string,
  { salt = Buffer.alloc(0), bytes = KEY_BYTES }: { salt?: Buffer; bytes?: number } = {},
): Buffer {
  return Buffer.from(hkdfSync('sha256', from, salt, `pilothouse/${purpose}`, bytes));
}

export interface MasterKeySource {
  /** Base64 of 32 bytes; several, the newest first, separated by commas or white space. */
  readonly key?: string;
  /** File of the same content; made with a new key when it is missing. */
  readonly file?: string;
}

/**
 * The master keys, the newest first. A given key comes before the file. A missing file is made, readable by its owner only;
 * of several processes that start at once one makes it, and all read the same.
 * @throws PilothouseError UNAVAILABLE with a sentence that says what to set
 */
export async function loadMasterKey({ key, file }: MasterKeySource): Promise<[Buffer, ...Buffer[]]> {
  if (key !== undefined && key.trim() !== '') return parseKeys(key, 'The master key');
  if (file === undefined)
    throw new PilothouseError('UNAVAILABLE', 'There is no master key: give one, or a file for it');
  try {
    const content = (await readIfThere(file)) ?? (await makeFile(file));
    return parseKeys(content, `The master key in ${file}`);
  } catch (error) {
    if (error instanceof PilothouseError) throw error;
    throw new PilothouseError('UNAVAILABLE', `The master key in ${file} cannot be used: ${String(error)}`, {
      cause: error,
    });
  }
}

function parseKeys(text: string, what: string): [Buffer, ...Buffer[]] {
  const [newest, ...older] = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((part) => {
      const key = Buffer.from(part, 'base64');
      // Buffer skips what is not Base64: only what comes out the same was meant.
      const asGiven = part.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
      if (key.length === KEY_BYTES && key.toString('base64').replace(/=+$/, '') === asGiven) return key;
      throw new PilothouseError(
        'UNAVAILABLE',
        `${what} is not the Base64 of ${KEY_BYTES} bytes; \`openssl rand -base64 ${KEY_BYTES}\` makes one`,
      );
    });
  if (!newest) throw new PilothouseError('UNAVAILABLE', `${what} is empty`);
  return [newest, ...older];
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Makes the file whole or not at all: written elsewhere, then linked, which never takes the place of another's. */
async function makeFile(file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomUUID()}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(temporary, file).catch((error: unknown) => {
      if (!isCode(error, 'EEXIST')) throw error;
    });
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(file));
  return readFile(file, 'utf8');
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const isCode = (error: unknown, code: string) =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;
