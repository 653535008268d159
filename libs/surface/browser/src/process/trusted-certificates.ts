import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';

const execFileAsync = promisify(execFile);

/** Timeout of one certutil call. */
const TOOL_MS = 10_000;

/** Options of a home directory with additional certificate authorities. */
export interface TrustOptions {
  /** Certificates of authorities in PEM format. */
  readonly authorities: readonly string[];
  /** Folder for this purpose only; created if missing. */
  readonly folder: string;
  /** Environment of certutil. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Creates a home directory for Chromium with additional trusted authorities. On Linux, Chromium reads them from the
 * NSS database of its home directory. The home directory of the current user stays unchanged.
 * @returns HOME for Chromium
 * @throws PilothouseError SURFACE_UNAVAILABLE if certutil is missing or rejects a certificate
 */
export async function createTrustingHome({ authorities, folder, environment }: TrustOptions): Promise<string> {
  const database = join(folder, '.pki', 'nssdb');
  await mkdir(database, { recursive: true, mode: 0o700 });
  const certutil = async (...args: string[]) => {
    const command = ['-d', `sql:${database}`, ...args];
    await execFileAsync('certutil', command, { env: environment, timeout: TOOL_MS, killSignal: 'SIGKILL' }).catch(
      throwCertutilError,
    );
  };
  await certutil('-N', '--empty-password');
  for (const [index, pem] of authorities.entries()) {
    const file = join(folder, `authority-${index + 1}.pem`);
    await writeFile(file, pem, { mode: 0o600 });
    // C: trusted to identify servers, and for nothing else.
    await certutil('-A', '-t', 'C,,', '-n', `authority-${index + 1}`, '-i', file);
  }
  return folder;
}

function throwCertutilError(error: NodeJS.ErrnoException & { stderr?: string }): never {
  const reason =
    error.code === 'ENOENT'
      ? 'certutil is not on the PATH of the worker (Debian, Ubuntu: apt-get install libnss3-tools)'
      : `certutil failed: ${(error.stderr || error.message).trim().slice(0, 300)}`;
  throw new PilothouseError('SURFACE_UNAVAILABLE', `Custom certificate authorities could not be installed: ${reason}`, {
    cause: error,
  });
}
