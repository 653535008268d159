import type { Readiness } from '@pilothouse/contract/api/system.routes';
import type { FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import type { UpConfig } from '@pilothouse/infra-config';
import { pingPostgres, pingRedis } from '@pilothouse/infra-embedded';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Installation } from '../installation/installation-paths.ts';
import { databaseName, postgresUrl, redisUrl } from './services.ts';
import type { RunRecord } from './state-file.ts';
import { readSecrets } from './local-secrets.ts';
import { checkFleets } from './check-remote.ts';
import { ok, problem, reasonOf, type Finding } from './finding.ts';

const timeoutMs = 3000;

/** Checks each running service as its clients use it. */
export async function checkServices(
  installation: Installation,
  config: UpConfig,
  record: RunRecord,
): Promise<Finding[]> {
  const secrets = readSecrets(installation.secrets);
  const database = config.databaseUrl ?? postgresUrl(secrets, record.ports.postgres ?? 0, databaseName);
  const log = (part: string) =>
    `See ${relative(process.cwd(), join(installation.logs, `${part}.log`))}. Restart with ./scripts/down and ./scripts/up.`;
  const api = record.urls.api ?? '';
  return Promise.all([
    check(
      'database',
      withoutPassword(database),
      () => pingPostgres(database, timeoutMs),
      config.databaseUrl ? 'Check DATABASE_URL.' : log('postgres'),
    ),
    check(
      'Redis',
      withoutPassword(redisUrl({ config, secrets, record })),
      () => pingRedis(redisUrl({ config, secrets, record }), timeoutMs),
      config.redisUrl ? 'Check REDIS_URL.' : log('redis'),
    ),
    config.s3Endpoint
      ? check(
          'objects',
          config.s3Endpoint,
          () => assertReachable(config.s3Endpoint ?? ''),
          'Check S3_ENDPOINT and that its server runs.',
        )
      : check(
          'objects',
          join(installation.state, 'objects'),
          () => writable(join(installation.state, 'objects')),
          'Grant this user write access.',
        ),
    checkApi(api, log('api')),
    check(
      'fleet controller',
      `${record.urls.fleet}/healthz`,
      () => call(`${record.urls.fleet}/healthz`).then(() => undefined),
      log('fleet'),
    ),
    check(
      'jobs',
      `${record.urls.jobs}/healthz`,
      () => call(`${record.urls.jobs}/healthz`).then(() => undefined),
      log('jobs'),
    ),
    check(
      'console',
      `${record.urls.console}/healthz`,
      () => call(`${record.urls.console}/healthz`).then(() => undefined),
      log('console'),
    ),
    workers(api, secrets.adminKey, log('fleet')),
  ]);
}

/** Checks the API and what it depends on. It also answers while Redis or the object store is not usable. */
export async function checkApi(api: string, fix: string): Promise<Finding> {
  const address = `${api}/readyz`;
  try {
    const { checks } = (await (await call(address)).json()) as Readiness;
    const failures = Object.values(checks).flatMap(({ ok: isUsable, detail }) => (isUsable ? [] : [detail]));
    return failures.length === 0 ? ok('API', address) : problem('API', `${address}: ${failures.join('. ')}`, fix);
  } catch (error) {
    return problem('API', `${address} is unhealthy: ${reasonOf(error)}`, fix);
  }
}

async function check(name: string, address: string, request: () => Promise<void>, fix: string): Promise<Finding> {
  try {
    await request();
    return ok(name, address);
  } catch (error) {
    return problem(name, `${address} is unhealthy: ${reasonOf(error)}`, fix);
  }
}

/** A URL without its password. */
function withoutPassword(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

async function writable(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  accessSync(folder, constants.W_OK);
}

async function assertReachable(url: string): Promise<void> {
  await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
}

async function call(url: string, key?: string): Promise<Response> {
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) throw new Error(`status ${response.status}: ${(await response.text()).slice(0, 300)}`);
  return response;
}

async function workers(api: string, key: string, fix: string): Promise<Finding> {
  try {
    const { items } = (await (await call(`${api}/v1/fleets`, key)).json()) as { items: FleetView[] };
    return checkFleets(items, fix);
  } catch (error) {
    return problem('workers', `unknown: ${reasonOf(error)}`, fix);
  }
}
