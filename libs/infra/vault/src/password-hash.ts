import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract';

/** Work of one hash: kibibytes, passes, lanes (OWASP's least for argon2id, about 50 ms of one core). */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Hashes at work at a time: they share four threads with reading files and finding hosts. */
const AT_ONCE = 2;

/** Hashes that may wait. More is a flood, and nobody would stay for the answer. */
const MOST_WAITING = 40;

interface Hash {
  readonly cost: typeof COST;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

/** What is stored of a password: argon2id with its parameters and salt, in the usual form `$argon2id$v=19$m=..,t=..,p=..$salt$tag`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return write({ cost: COST, salt, tag: await derive(password, COST, salt, TAG_BYTES) });
}

/**
 * Whether it is the password that was stored. Without one the work is done all the same, so that the time tells nothing.
 * @throws PilothouseError RATE_LIMITED when too many wait for the same
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const { cost, salt, tag } = (stored === null ? null : read(stored)) ?? nobody;
  const same = timingSafeEqual(await derive(password, cost, salt, tag.length), tag);
  return same && stored !== null;
}

/** Nobody's password. */
const nobody: Hash = { cost: COST, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) };

const waiting: (() => void)[] = [];
let atWork = 0;

async function derive(password: string, cost: typeof COST, nonce: Buffer, tagLength: number): Promise<Buffer> {
  if (waiting.length >= MOST_WAITING) {
    throw new PilothouseError('RATE_LIMITED', 'Too many passwords are looked at right now; try again in a moment');
  }
  if (atWork >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else atWork += 1;
  try {
    // The same characters may be typed as different bytes.
    const message = Buffer.from(password.normalize('NFKC'), 'utf8');
    return await new Promise((resolve, reject) => {
      argon2('argon2id', { message, nonce, tagLength, ...cost }, (error, tag) => {
        if (error) reject(error);
        else resolve(tag);
      });
    });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else atWork -= 1;
  }
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

const write = ({ cost: { memory, passes, parallelism }, salt, tag }: Hash) =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;

const FORM = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function read(stored: string): Hash {
  const [, memory, passes, parallelism, salt = '', tag = ''] = FORM.exec(stored) ?? [];
  if (!memory) throw new PilothouseError('INTERNAL', 'A stored password is not in the form of argon2id');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return { cost, salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64') };
}
