import { PilothouseError } from '@pilothouse/contract';
import { deriveKey, KEY_BYTES } from './master-key.ts';
import { KEY_ID_BYTES, readEnvelopeHeader, openWith, sealWith, ENVELOPE_VERSION, type SealingKey } from './envelope.ts';

/** Encryption at rest. */
export interface Vault {
  /**
   * Seals a value for one place.
   * @param context what it belongs to, e.g. `run:<id>:secrets`; the same is needed to open it
   */
  seal(plaintext: Buffer | string, options: { readonly context: string }): Buffer;
  /** @throws PilothouseError INTERNAL when the key is not here, or the value was changed or belongs elsewhere */
  open(sealed: Uint8Array, options: { readonly context: string }): Buffer;
  /** Whether a value was sealed with a key older than the newest, and is to be sealed anew. */
  isOutdated(sealed: Uint8Array): boolean;
  /** Key of the signatures of links: derived, so that a leak of it opens no sealed value. */
  readonly signing: Buffer;
  /** Key of the code with which the first user is made. */
  readonly setUp: Buffer;
  /** Tells one installation from another. It is public and says nothing of the keys. */
  readonly installation: string;
}

/**
 * A vault under one master key, or several while keys change: the first seals, each opens what it sealed.
 * @param masterKey 32 bytes each
 * @throws PilothouseError UNAVAILABLE when a key has another length
 */
export function createVault(masterKey: Buffer | readonly Buffer[]): Vault {
  const masters = Buffer.isBuffer(masterKey) ? [masterKey] : masterKey;
  const newestMaster = masters[0];
  if (!newestMaster || masters.some(({ length }) => length !== KEY_BYTES)) {
    throw new PilothouseError('UNAVAILABLE', `A master key has ${KEY_BYTES} bytes, and there is at least one`);
  }
  const keys = masters.map((master): SealingKey => ({
    id: deriveKey(master, 'key-id', { bytes: KEY_ID_BYTES }),
    key: deriveKey(master, 'sealing'),
  }));
  const [newest] = keys as [SealingKey];
  return {
    seal: (plaintext, { context }) => sealWith(newest, Buffer.from(plaintext), context),
    open: (sealed, { context }) => openAny(keys, Buffer.from(sealed), context),
    isOutdated: (sealed) => !readEnvelopeHeader(Buffer.from(sealed))?.keyId.equals(newest.id),
    signing: deriveKey(newestMaster, 'signing'),
    setUp: deriveKey(newestMaster, 'set-up'),
    installation: deriveKey(newestMaster, 'installation', { bytes: 6 }).toString('hex'),
  };
}

function openAny(keys: readonly SealingKey[], sealed: Buffer, context: string): Buffer {
  const label = readEnvelopeHeader(sealed);
  if (label?.version !== ENVELOPE_VERSION)
    throw new PilothouseError('INTERNAL', 'This is no sealed value of the vault');
  const key = keys.find(({ id }) => id.equals(label.keyId));
  if (!key) {
    throw new PilothouseError(
      'INTERNAL',
      `The value was sealed under another master key (${label.keyId.toString('hex')}); give that key as a further one, after the newest`,
    );
  }
  try {
    return openWith(key, sealed, context);
  } catch (error) {
    throw new PilothouseError('INTERNAL', 'The sealed value was changed, or belongs to something else', {
      cause: error,
    });
  }
}
