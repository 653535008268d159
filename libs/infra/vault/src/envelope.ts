import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey } from './master-key.ts';

/*
 * A sealed value, version 1:
 *   version 1 | id of the master key 8 | salt 16 | nonce 12 | tag 16 | ciphertext
 * AES-256-GCM. The salt derives one key per value, so keys do not wear out. Everything before the tag, and the context,
 * is authenticated. A sealed value is of no use in another place.
 */
export const ENVELOPE_VERSION = 1;
export const KEY_ID_BYTES = 8;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + SALT_BYTES + NONCE_BYTES;

/** An encryption key and its id. */
export interface SealingKey {
  readonly id: Buffer;
  readonly key: Buffer;
}

export function sealWith({ id, key }: SealingKey, plaintext: Buffer, context: string): Buffer {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const header = Buffer.concat([Buffer.from([ENVELOPE_VERSION]), id, salt, nonce]);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(key, 'value', { salt }), nonce);
  cipher.setAAD(Buffer.concat([header, Buffer.from(context, 'utf8')]));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([header, cipher.getAuthTag(), ciphertext]);
}

/** Version and key of a sealed value; null when it is too short to be one. */
export function readEnvelopeHeader(sealed: Buffer): { version: number; keyId: Buffer } | null {
  if (sealed.length < HEADER_BYTES + TAG_BYTES) return null;
  return { version: sealed.readUInt8(0), keyId: sealed.subarray(1, 1 + KEY_ID_BYTES) };
}

/** @throws Error of node:crypto when the value was changed, or sealed for another context */
export function openWith({ key }: SealingKey, sealed: Buffer, context: string): Buffer {
  const header = sealed.subarray(0, HEADER_BYTES);
  const salt = header.subarray(1 + KEY_ID_BYTES, -NONCE_BYTES);
  const tag = sealed.subarray(HEADER_BYTES, HEADER_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(key, 'value', { salt }), header.subarray(-NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.concat([header, Buffer.from(context, 'utf8')]));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES + TAG_BYTES)), decipher.final()]);
}
