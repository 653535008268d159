import { type Json, PilothouseError, type StorageState, storageStateSchema } from '@pilothouse/contract';
import { profileFacts, serializeProfile, storableTextErrors } from '@pilothouse/core';
import type { Vault } from '@pilothouse/infra-vault';
import { validationError } from '../http/request-validation.ts';
import type { ProfileWrite } from '@pilothouse/infra-db';

const secretInputContext = (run: string) => ({ context: `run:${run}` });

/** Secret inputs of a run as they are stored; null when there are none. A sealed text opens only for the run it was sealed for. */
export const sealSecrets = (
  vault: Pick<Vault, 'seal'>,
  run: string,
  secrets: Readonly<Record<string, string>>,
): Buffer | null =>
  Object.keys(secrets).length === 0 ? null : vault.seal(JSON.stringify(secrets), secretInputContext(run));

/** Secret inputs by name. @throws PilothouseError INTERNAL when they were sealed under another key or for another run */
export const unsealSecrets = (vault: Pick<Vault, 'open'>, run: string, sealed: Uint8Array): Record<string, string> =>
  JSON.parse(vault.open(sealed, secretInputContext(run)).toString('utf8')) as Record<string, string>;

/**
 * Sees that the inputs of a run can be kept. A secret may have a NUL in it, for it is sealed; half a character reaches no page.
 * @throws PilothouseError VALIDATION_FAILED at `/inputs/<name>` for each that cannot
 */
export function requireStorableInputs(
  inputs: Readonly<Record<string, Json>>,
  secrets: Readonly<Record<string, string>>,
): void {
  const sealed = Object.entries(secrets).map(([name, value]): [string, string] => [name, value.replaceAll('\0', '')]);
  const fields = [inputs, Object.fromEntries(sealed)].flatMap((given) => storableTextErrors(given, { at: '/inputs' }));
  if (fields.length > 0) throw validationError('inputs', fields);
}

/** Seals the state of a run's surface: it holds cookies, and opens only for the run it was sealed for. */
export interface SurfaceStateSealer {
  seal(state: string, run: string): Buffer;
  /** @throws PilothouseError INTERNAL when it was sealed under another key or for another run */
  open(sealed: Uint8Array, run: string): string;
}

const stateContext = (run: string) => ({ context: `state:${run}` });

/** The seal under the master key. */
export const createSurfaceStateSealer = (vault: Pick<Vault, 'seal' | 'open'>): SurfaceStateSealer => ({
  seal: (state, run) => vault.seal(state, stateContext(run)),
  open: (sealed, run) => vault.open(sealed, stateContext(run)).toString('utf8'),
});

/** Which profile a state belongs to. */
export interface ProfileKey {
  /** Id of the project. */
  readonly project: string;
  readonly name: string;
}

const profileContext = ({ project, name }: ProfileKey) => ({ context: `profile:${project}:${name}` });

/** A profile as it is stored; it opens only for this project and this name. @throws PilothouseError PAYLOAD_TOO_LARGE */
export function sealProfile(vault: Pick<Vault, 'seal'>, key: ProfileKey, state: StorageState): ProfileWrite {
  const text = serializeProfile(state);
  return {
    ...key,
    ...profileFacts(state),
    size: Buffer.byteLength(text),
    state: vault.seal(text, profileContext(key)),
  };
}

/** @throws PilothouseError PROFILE_INVALID when it was sealed under another master key, or for another profile */
export function unsealProfile(vault: Pick<Vault, 'open'>, key: ProfileKey, sealed: Uint8Array): StorageState {
  try {
    return storageStateSchema.parse(JSON.parse(vault.open(sealed, profileContext(key)).toString('utf8')));
  } catch (cause) {
    throw new PilothouseError(
      'PROFILE_INVALID',
      `The profile "${key.name}" cannot be opened: it was sealed under a master key that is not here. Save or import it anew`,
      { cause },
    );
  }
}
