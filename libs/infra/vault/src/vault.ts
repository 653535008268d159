import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { deriveKey, KEY_BYTES } from './master-key.ts';
import { KEY_ID_BYTES, readEnvelopeHeader, openWith, sealWith, ENVELOPE_VERSION, type SealingKey } from './envelope.ts';

/** Encryption at rest. */
export interface Vault {
  /**
   * Encrypts a value for one context.
   * @param context owner of the value, e.g. `run:<id>:secrets`. Opening requires the same context.
   */
  seal(plaintext: Buffer | string, options: { readonly context: string }): Buffer;
  /** @throws PilothouseError INTERNAL if the key is missing, or the value was modified or belongs to another context */
  open(sealed: Uint8Array, options: { readonly context: string }): Buffer;
  /** True if a value was sealed with an older key and should be sealed again. */
  isOutdated(sealed: Uint8Array): boolean;
  /** Key for signed links. Derived, so that its leak exposes no sealed value. */
  readonly signing: Buffer;
  /** Key of the setup code for the first user. */
  readonly setUp: Buffer;
  /** Public identifier of the installation. It reveals nothing about the keys. */
  readonly installation: string;
}

/**
 * Creates a vault with one master key, or several during a key rotation. The first key seals; every key opens its own values.
 * @param masterKey 32 bytes each
 * @throws PilothouseError UNAVAILABLE if a key has another length
 */
export function createVault(masterKey: Buffer | readonly Buffer[]): Vault {
  const masters = Buffer.isBuffer(masterKey) ? [masterKey] : masterKey;
  const newestMaster = masters[0];
  if (!newestMaster || masters.some(({ length }) => length !== KEY_BYTES)) {
    throw new PilothouseError('UNAVAILABLE', `At least one master key of ${KEY_BYTES} bytes is required`);
  }
  const keys = masters.map((master): SealingKey => ({
    id: deriveKey(master, 'key-id', { bytes: KEY_ID_BYTES }),
    key: deriveKey(master, 'sealing'),
  }));
  const [newest] = keys as [SealingKey];
  return {
    seal: (plaintext, { context }) => sealWith(newest, Buffer.from(plaintext), context),
    open: (sealed, { context }) => openWithAnyKey(keys, Buffer.from(sealed), context),
    isOutdated: (sealed) => !readEnvelopeHeader(Buffer.from(sealed))?.keyId.equals(newest.id),
    signing: deriveKey(newestMaster, 'signing'),
    setUp: deriveKey(newestMaster, 'set-up'),
    installation: deriveKey(newestMaster, 'installation', { bytes: 6 }).toString('hex'),
  };
}

function openWithAnyKey(keys: readonly SealingKey[], sealed: Buffer, context: string): Buffer {
  const header = readEnvelopeHeader(sealed);
  if (header?.version !== ENVELOPE_VERSION)
    throw new PilothouseError('INTERNAL', 'This is not a sealed value of the vault');
  const key = keys.find(({ id }) => id.equals(header.keyId));
  if (!key) {
    throw new PilothouseError(
      'INTERNAL',
      `The value was sealed with another master key (${header.keyId.toString('hex')}). Add that key after the newest one.`,
    );
  }
  try {
    return openWith(key, sealed, context);
  } catch (error) {
    throw new PilothouseError('INTERNAL', 'The sealed value was changed, or belongs to another record', {
      cause: error,
    });
  }
}
