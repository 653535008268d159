import type { Json } from '@pilothouse/contract';
import { storableTextErrors } from '@pilothouse/core';
import type { Vault } from '@pilothouse/infra-vault';
import { validationError } from '../http/check.ts';

const contextOf = (run: string) => ({ context: `run:${run}` });

/** Secret inputs of a run as they are stored; null when there are none. A sealed text opens only for the run it was sealed for. */
export const sealSecrets = (
  vault: Pick<Vault, 'seal'>,
  run: string,
  secrets: Readonly<Record<string, string>>,
): Buffer | null => (Object.keys(secrets).length === 0 ? null : vault.seal(JSON.stringify(secrets), contextOf(run)));

/** Secret inputs by name. @throws PilothouseError INTERNAL when they were sealed under another key or for another run */
export const unsealSecrets = (vault: Pick<Vault, 'open'>, run: string, sealed: Uint8Array): Record<string, string> =>
  JSON.parse(vault.open(sealed, contextOf(run)).toString('utf8')) as Record<string, string>;

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
