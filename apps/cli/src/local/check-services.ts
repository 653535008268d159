import type { UpConfig } from '@pilothouse/infra-config';
import { pingPostgres, pingRedis } from '@pilothouse/infra-embedded';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { House } from './installation-paths.ts';
import { databaseName, postgresUrl, redisUrl } from './services.ts';
import type { RunRecord } from './state-file.ts';
import { readSecrets } from './local-secrets.ts';
import { note, ok, problem, reasonOf, type Finding } from './finding.ts';

const timeoutMs = 3000;

/** What runs: asks each part the way its users do. */
export async function checkParts(house: House, config: UpConfig, record: RunRecord): Promise<Finding[]> {
  const secrets = readSecrets(house.secrets);
  const database = config.databaseUrl ?? postgresUrl(secrets, record.ports.postgres ?? 0, databaseName);
  const log = (part: string) =>
    `See ${relative(process.cwd(), join(house.logs, `${part}.log`))}; ./scripts/down and ./scripts/up start it anew.`;
  const api = record.urls.api ?? '';
  return Promise.all([
    asked(
      'database',
      where(database),
      () => pingPostgres(database, timeoutMs),
      config.databaseUrl ? 'Check DATABASE_URL.' : log('postgres'),
    ),
    asked(
      'Redis',
      where(redisUrl({ config, secrets, record })),
      () => pingRedis(redisUrl({ config, secrets, record }), timeoutMs),
      config.redisUrl ? 'Check REDIS_URL.' : log('redis'),
    ),
    config.s3Endpoint
      ? asked(
          'objects',
          config.s3Endpoint,
          () => reach(config.s3Endpoint ?? ''),
          'Check S3_ENDPOINT and that its server runs.',
        )
      : asked(
          'objects',
          join(house.state, 'objects'),
          () => writable(join(house.state, 'objects')),
          'Give this user write access to the folder.',
        ),
    asked('API', `${api}/readyz`, () => call(`${api}/readyz`).then(() => undefined), log('api')),
    asked(
      'fleet controller',
      `${record.urls.fleet}/healthz`,
      () => call(`${record.urls.fleet}/healthz`).then(() => undefined),
      log('fleet'),
    ),
    asked(
      'console',
      `${record.urls.console}/healthz`,
      () => call(`${record.urls.console}/healthz`).then(() => undefined),
      log('console'),
    ),
    workers(api, secrets.adminKey, log('fleet')),
  ]);
}

async function asked(check: string, place: string, ask: () => Promise<void>, mend: string): Promise<Finding> {
  try {
    await ask();
    return ok(check, place);
  } catch (error) {
    return problem(check, `${place} does not answer well: ${reasonOf(error)}`, mend);
  }
}

/** A URL without its password. */
function where(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

async function writable(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  accessSync(folder, constants.W_OK);
}

async function reach(url: string): Promise<void> {
  await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
}

async function call(url: string, key?: string): Promise<Response> {
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`status ${response.status}: ${(await response.text()).slice(0, 300)}`);
  return response;
}

/** The part of the API's answer that is looked at. */
interface Fleets {
  items: { name: string; min: number; max: number; waiting: number; workers: { state: string }[] }[];
}

/** Workers come and go with the work: only work that waits with nobody to do it is a problem. */
async function workers(api: string, key: string, mend: string): Promise<Finding> {
  try {
    const { items }: Fleets = await (await call(`${api}/v1/fleets`, key)).json();
    const ready = items.flatMap(({ workers: all }) => all).filter(({ state }) => state === 'ready').length;
    const stuck = items.filter(
      ({ waiting, workers: all }) => waiting > 0 && all.every(({ state }) => state !== 'ready'),
    );
    if (stuck.length > 0)
      return problem(
        'workers',
        `runs wait and no worker is connected: ${stuck.map(({ name }) => name).join(', ')}`,
        mend,
      );
    if (ready > 0) return ok('workers', `${ready} connected`);
    return note('workers', 'none connected', 'One is started with the next run.');
  } catch (error) {
    return problem('workers', `the API does not say: ${reasonOf(error)}`, mend);
  }
}
