import type { Vault } from '@pilothouse/infra-vault';

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
