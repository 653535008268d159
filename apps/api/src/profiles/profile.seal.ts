import { PilothouseError, storageStateSchema, type StorageState } from '@pilothouse/contract';
import { profileFacts, serializeProfile } from '@pilothouse/core';
import type { ProfileWrite } from '@pilothouse/infra-db';
import type { Vault } from '@pilothouse/infra-vault';

/** Which profile a state belongs to. */
export interface ProfileKey {
  /** Id of the project. */
  readonly project: string;
  readonly name: string;
}

const contextOf = ({ project, name }: ProfileKey) => ({ context: `profile:${project}:${name}` });

/** A profile as it is stored; it opens only for this project and this name. @throws PilothouseError PAYLOAD_TOO_LARGE */
export function sealProfile(vault: Pick<Vault, 'seal'>, key: ProfileKey, state: StorageState): ProfileWrite {
  const text = serializeProfile(state);
  return { ...key, ...profileFacts(state), size: Buffer.byteLength(text), state: vault.seal(text, contextOf(key)) };
}

/** @throws PilothouseError PROFILE_INVALID when it was sealed under another master key, or for another profile */
export function unsealProfile(vault: Pick<Vault, 'open'>, key: ProfileKey, sealed: Uint8Array): StorageState {
  try {
    return storageStateSchema.parse(JSON.parse(vault.open(sealed, contextOf(key)).toString('utf8')));
  } catch (cause) {
    throw new PilothouseError(
      'PROFILE_INVALID',
      `The profile "${key.name}" cannot be opened: it was sealed under a master key that is not here. Save or import it anew`,
      { cause },
    );
  }
}
