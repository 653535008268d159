import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PilothouseError } from '@pilothouse/contract';

const run = promisify(execFile);

/** Milliseconds for one call of certutil. */
const TOOL_MS = 10_000;

/** What is needed to write down whom Chromium trusts. */
export interface TrustOptions {
  /** Certificates of authorities, PEM, one each. */
  readonly authorities: readonly string[];
  /** A folder for this alone; it need not be there. */
  readonly folder: string;
  /** Environment of certutil. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Makes a home for Chromium in which authorities are trusted besides those that it knows itself: on Linux it reads them from the NSS
 * database of its home. The home of whoever runs this stays as it is.
 * @returns what HOME is to be for Chromium
 * @throws PilothouseError SURFACE_UNAVAILABLE where certutil is missing, or does not take a certificate
 */
export async function createTrustingHome({ authorities, folder, environment }: TrustOptions): Promise<string> {
  const database = join(folder, '.pki', 'nssdb');
  await mkdir(database, { recursive: true, mode: 0o700 });
  const certutil = async (...args: string[]) => {
    const command = ['-d', `sql:${database}`, ...args];
    await run('certutil', command, { env: environment, timeout: TOOL_MS, killSignal: 'SIGKILL' }).catch(failed);
  };
  await certutil('-N', '--empty-password');
  for (const [index, pem] of authorities.entries()) {
    const file = join(folder, `authority-${index + 1}.pem`);
    await writeFile(file, pem, { mode: 0o600 });
    // C: it may say who a server is, and nothing else.
    await certutil('-A', '-t', 'C,,', '-n', `authority-${index + 1}`, '-i', file);
  }
  return folder;
}

function failed(thrown: NodeJS.ErrnoException & { stderr?: string }): never {
  const why =
    thrown.code === 'ENOENT'
      ? 'certutil is not on the PATH of the worker (Debian, Ubuntu: apt-get install libnss3-tools)'
      : `certutil failed: ${(thrown.stderr || thrown.message).trim().slice(0, 300)}`;
  throw new PilothouseError('SURFACE_UNAVAILABLE', `Authorities of one's own could not be trusted: ${why}`, {
    cause: thrown,
  });
}
