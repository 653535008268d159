import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import type { ProjectSecretStore, SealedSecret } from '@pilothouse/infra-db';
import type { Vault } from '@pilothouse/infra-vault';

/** Owner of a secret. */
interface SecretKey {
  readonly project: string;
  readonly name: string;
}

const secretContext = ({ project, name }: SecretKey) => ({ context: `secret:${project}:${name}` });

/** Seals a secret for its project and name. */
export const sealProjectSecret = (vault: Pick<Vault, 'seal'>, key: SecretKey, value: string): Buffer =>
  vault.seal(value, secretContext(key));

/** The value of a secret for a worker. */
interface SecretValue {
  readonly value: string;
  /** Replaced values that the run may show. They are masked. */
  readonly former: string[];
}

/** Opens secrets of projects for runs. */
export class ProjectSecretReader {
  private readonly secrets: Pick<ProjectSecretStore, 'use'>;
  private readonly vault: Pick<Vault, 'open'>;

  constructor(secrets: Pick<ProjectSecretStore, 'use'>, vault: Pick<Vault, 'open'>) {
    this.secrets = secrets;
    this.vault = vault;
  }

  /**
   * Reads the current value.
   * @param input secret input of the run that names the secret
   * @throws PilothouseError NOT_FOUND when it was deleted, INTERNAL when it was sealed under another master key
   */
  async read(key: SecretKey, input: string): Promise<SecretValue> {
    const secret = await this.secrets.use(key.project, key.name);
    if (!secret) {
      throw new PilothouseError(
        'NOT_FOUND',
        `The project has no secret "${key.name}" for the input "${input}": it was deleted after the run was submitted. Create it again, then retry the run.`,
      );
    }
    const open = (sealed: Buffer) => this.vault.open(sealed, secretContext(key)).toString('utf8');
    return { value: open(secret.sealed), former: secret.former.map(open) };
  }
}

/**
 * Seals secrets under the newest master key again, if an older one sealed them. A value that cannot be opened does not stop the others.
 * @returns number of secrets that were sealed again
 */
export async function resealProjectSecrets(
  store: Pick<ProjectSecretStore, 'listSealed' | 'reseal'>,
  vault: Pick<Vault, 'seal' | 'open' | 'isOutdated'>,
  log: Pick<Log, 'warn'>,
): Promise<number> {
  let count = 0;
  let failedCount = 0;
  for (const secret of await store.listSealed()) {
    if (![secret.sealed, ...secret.former].some((sealed) => sealed.length > 0 && vault.isOutdated(sealed))) continue;
    try {
      if (await store.reseal(sealedAgain(secret, vault))) count += 1;
    } catch (error) {
      failedCount += 1;
      const { project, name } = secret;
      log.warn({ project, secret: name, error: String(error) }, 'secret not sealed again');
    }
  }
  if (failedCount > 0) log.warn({ secrets: failedCount }, 'secrets not sealed again: keep the old master key');
  return count;
}

function sealedAgain(secret: SealedSecret, vault: Pick<Vault, 'seal' | 'open'>): SealedSecret {
  const context = secretContext(secret);
  // A deleted secret has an empty value.
  const again = (sealed: Buffer) => (sealed.length === 0 ? sealed : vault.seal(vault.open(sealed, context), context));
  return { ...secret, sealed: again(secret.sealed), former: secret.former.map(again) };
}
