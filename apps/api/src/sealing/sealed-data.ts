import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { type StorageState, storageStateSchema } from '@pilothouse/contract/project/profile.schema';
import { profileFacts, serializeProfile } from '@pilothouse/core/profile/browser-profile';
import { storableTextErrors } from '@pilothouse/core/workflow/storable-text';
import type { Vault } from '@pilothouse/infra-vault';
import { validationError } from '../http/request-validation.ts';
import type { ProfileWrite } from '@pilothouse/infra-db';

const secretInputContext = (run: string) => ({ context: `run:${run}` });

/** Seals the secret inputs of a run; null without any. The sealed text opens only for this run. */
export const sealSecrets = (
  vault: Pick<Vault, 'seal'>,
  run: string,
  secrets: Readonly<Record<string, string>>,
): Buffer | null =>
  Object.keys(secrets).length === 0 ? null : vault.seal(JSON.stringify(secrets), secretInputContext(run));

/** Opens secret inputs, by name. @throws PilothouseError INTERNAL when they were sealed under another key or for another run */
export const unsealSecrets = (vault: Pick<Vault, 'open'>, run: string, sealed: Uint8Array): Record<string, string> =>
  JSON.parse(vault.open(sealed, secretInputContext(run)).toString('utf8')) as Record<string, string>;

/**
 * Checks that the inputs of a run can be stored. A secret is sealed and may contain NUL, but no lone surrogate.
 * @throws PilothouseError VALIDATION_FAILED at `/inputs/<name>` for each that cannot
 */
export function requireStorableInputs(
  inputs: Readonly<Record<string, Json>>,
  secrets: Readonly<Record<string, string>>,
): void {
  const sealed = Object.entries(secrets).map(([name, value]): [string, string] => [name, value.replaceAll('\0', '')]);
  const fields = [inputs, Object.fromEntries(sealed)].flatMap((values) =>
    storableTextErrors(values, { pointer: '/inputs' }),
  );
  if (fields.length > 0) throw validationError('inputs', fields);
}

/** Seals the surface state of a run, which contains cookies. It opens only for this run. */
export interface SurfaceStateSealer {
  seal(state: string, run: string): Buffer;
  /** @throws PilothouseError INTERNAL when it was sealed under another key or for another run */
  open(sealed: Uint8Array, run: string): string;
}

const stateContext = (run: string) => ({ context: `state:${run}` });

/** Sealing under the master key. */
export const createSurfaceStateSealer = (vault: Pick<Vault, 'seal' | 'open'>): SurfaceStateSealer => ({
  seal: (state, run) => vault.seal(state, stateContext(run)),
  open: (sealed, run) => vault.open(sealed, stateContext(run)).toString('utf8'),
});

/** Owner of a profile state. */
export interface ProfileKey {
  readonly project: string;
  readonly name: string;
}

const profileContext = ({ project, name }: ProfileKey) => ({ context: `profile:${project}:${name}` });

/** Seals a profile for its project and name. @throws PilothouseError PAYLOAD_TOO_LARGE */
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
      `The profile "${key.name}" was sealed with a master key that is not configured. Save or import it again.`,
      { cause },
    );
  }
}
