import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import pLimit from 'p-limit';

/** Cost of one hash: KiB, passes, lanes. OWASP minimum for argon2id, about 50 ms of one core. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Maximum number of concurrent hashes. They share four threads with file access and DNS. */
const MAX_CONCURRENT = 2;

/** Maximum number of waiting hashes. Further requests are rejected. */
const MAX_WAITING = 40;

interface Hash {
  readonly cost: typeof COST;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/** Returns the argon2id hash of a password in PHC format: `$argon2id$v=19$m=..,t=..,p=..$salt$tag`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return formatHash({ cost: COST, salt, tag: await derive(password, COST, salt, TAG_BYTES) });
}

/**
 * Compares a password with a stored hash. Without a stored hash it takes the same time, so that timing reveals nothing.
 * @throws PilothouseError RATE_LIMITED if too many comparisons wait
 */
export async function verifyPassword(password: string, storedHash: string | null): Promise<boolean> {
  const { cost, salt, tag } = (storedHash === null ? null : parseHash(storedHash)) ?? DUMMY_HASH;
  const isEqual = timingSafeEqual(await derive(password, cost, salt, tag.length), tag);
  return isEqual && storedHash !== null;
}

/** Compared if there is no stored hash. */
const DUMMY_HASH: Hash = { cost: COST, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) };

const limitHashes = pLimit(MAX_CONCURRENT);
const argon2Async = promisify(argon2);

async function derive(password: string, cost: typeof COST, nonce: Buffer, tagLength: number): Promise<Buffer> {
  if (limitHashes.pendingCount >= MAX_WAITING) {
    throw new PilothouseError('RATE_LIMITED', 'Too many sign-ins at the same time. Try again.');
  }
  // The same characters may have different byte sequences.
  const message = Buffer.from(password.normalize('NFKC'), 'utf8');
  return await limitHashes(() => argon2Async('argon2id', { message, nonce, tagLength, ...cost }));
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

const formatHash = ({ cost: { memory, passes, parallelism }, salt, tag }: Hash) =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;

const FORMAT = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parseHash(storedHash: string): Hash {
  const [, memory, passes, parallelism, salt = '', tag = ''] = FORMAT.exec(storedHash) ?? [];
  if (!memory) throw new PilothouseError('INTERNAL', 'A stored password is not an argon2id hash');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return { cost, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
}
