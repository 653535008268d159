import { randomBytes, randomInt } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '../installation/json-file.ts';

/** Secrets of the local installation. Each is created once. */
export interface Secrets {
  /** Created with the API service, because a configured key needs no file. */
  masterKeyFile: string;
  adminKeyFile: string;
  adminKey: string;
  fleetToken: string;
  /** Token of another fleet. Tokens are independent of each other. */
  tokenOf(fleet: string): string;
  consoleToken: string;
  postgresPassword: string;
  redisPassword: string;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const word = (length: number) => Array.from({ length }, () => letters[randomInt(letters.length)]).join('');

const fleetToken = () => `ft_${word(40)}`;

/** Reads the secrets in `dir` (0700, files 0600) and creates missing ones. */
export function readSecrets(dir: string): Secrets {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  const secret = (name: string, make: () => string) => {
    const file = join(dir, name);
    if (!existsSync(file)) writeAtomically(file, `${make()}\n`);
    chmodSync(file, 0o600);
    return readFileSync(file, 'utf8').trim();
  };
  return {
    masterKeyFile: join(dir, 'master.key'),
    adminKeyFile: join(dir, 'admin.key'),
    adminKey: secret('admin.key', () => `ph_${word(40)}`),
    fleetToken: secret('fleet.token', fleetToken),
    tokenOf: (fleet) => secret(`fleet-${fleet}.token`, fleetToken),
    consoleToken: secret('console.token', () => word(40)),
    postgresPassword: secret('postgres.password', () => randomBytes(24).toString('hex')),
    redisPassword: secret('redis.password', () => randomBytes(24).toString('hex')),
  };
}
