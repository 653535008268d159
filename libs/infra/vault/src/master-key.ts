import { hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';

/** Bytes of a master key and of every key that is derived from it. */
export const KEY_BYTES = 32;

/**
 * Derives a key for one purpose (HKDF-SHA256, RFC 5869). A leaked key reveals neither the master key nor other derived keys.
 * @param salt distinguishes keys of the same purpose
 */
export function deriveKey(
  source: Buffer,
  purpose: string,
  { salt = Buffer.alloc(0), bytes = KEY_BYTES }: { salt?: Buffer; bytes?: number } = {},
): Buffer {
  return Buffer.from(hkdfSync('sha256', source, salt, `pilothouse/${purpose}`, bytes));
}

export interface MasterKeySource {
  /** Base64 of 32 bytes. Several keys are separated by commas or white space, the newest first. */
  readonly key?: string;
  /** File with the same content. It is created with a new key if it is missing. */
  readonly file?: string;
}

/**
 * Loads the master keys, the newest first. `key` takes precedence over `file`. A missing file is created with owner-only access.
 * Concurrent processes create it once and read the same key.
 * @throws PilothouseError UNAVAILABLE with the setting to fix
 */
export async function loadMasterKey({ key, file }: MasterKeySource): Promise<[Buffer, ...Buffer[]]> {
  if (key !== undefined && key.trim() !== '') return parseKeys(key, 'The master key');
  if (file === undefined)
    throw new PilothouseError(
      'UNAVAILABLE',
      'No master key is configured. Set PILOTHOUSE_MASTER_KEY or PILOTHOUSE_MASTER_KEY_FILE.',
    );
  try {
    const content = (await readIfExists(file)) ?? (await makeFile(file));
    return parseKeys(content, `The master key in ${file}`);
  } catch (error) {
    if (error instanceof PilothouseError) throw error;
    throw new PilothouseError('UNAVAILABLE', `The master key in ${file} is not usable: ${String(error)}`, {
      cause: error,
    });
  }
}

function parseKeys(text: string, source: string): [Buffer, ...Buffer[]] {
  const [newest, ...older] = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((part) => {
      const key = Buffer.from(part, 'base64');
      // Buffer ignores invalid Base64 characters, so the result is encoded again and compared.
      const normalized = part.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
      if (key.length === KEY_BYTES && key.toString('base64').replace(/=+$/, '') === normalized) return key;
      throw new PilothouseError(
        'UNAVAILABLE',
        `${source} is not the Base64 of ${KEY_BYTES} bytes. Create one with \`openssl rand -base64 ${KEY_BYTES}\``,
      );
    });
  if (!newest) throw new PilothouseError('UNAVAILABLE', `${source} is empty`);
  return [newest, ...older];
}

async function readIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Creates the file atomically: writes a temporary file and links it, which never replaces an existing file. */
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
