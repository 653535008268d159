/** Servers for tests: those of the environment, or new ones in a separate folder. */
import { startPostgres, startRedis, stopProcess, type ProcessIdentity } from '@pilothouse/infra-embedded';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Need } from '../jest/suites.ts';
import { startRadosgw } from './radosgw.ts';

/** Environment variables of the running servers, and a function that stops them. */
export interface TestServers {
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** Starts the servers that are needed and that the environment does not name. Their output goes to `logFile`. */
export async function startTestServers(
  environment: NodeJS.ProcessEnv,
  logFile: string,
  needs: ReadonlySet<Need>,
): Promise<TestServers> {
  const dir = mkdtempSync(join(tmpdir(), 'pilothouse-test-'));
  chmodSync(dir, 0o755); // as root PostgreSQL runs as another user
  const sharedServers = join(dir, 'shared');
  mkdirSync(sharedServers, { mode: 0o700 });
  const env: Record<string, string> = { PILOTHOUSE_TEST_RUN: sharedServers };
  const stops: (() => Promise<unknown>)[] = [];
  const log = (server: string) => (line: string) => appendFileSync(logFile, `${server} | ${line}\n`);
  const secret = () => randomBytes(16).toString('hex');
  const stop = async () => {
    const failures = await stopSharedServers(sharedServers);
    for (const end of stops.reverse()) await end();
    rmSync(dir, { recursive: true, force: true });
    if (failures.length > 0) throw new Error(failures.join('\n'));
  };
  const start = async (name: string, work: () => Promise<() => Promise<unknown>>) => {
    const since = performance.now();
    stops.push(await work());
    console.log(`ok     ${name} (${((performance.now() - since) / 1000).toFixed(1)} s)`);
  };
  try {
    if (needs.has('postgres') && !environment.DATABASE_URL)
      await start('PostgreSQL', async () => {
        const dataDir = join(dir, 'postgres');
        const server = await startPostgres({
          dataDir,
          port: 0,
          password: secret(),
          isDurable: false,
          log: log('postgres'),
        });
        env.DATABASE_URL = server.url;
        return server.stop;
      });
    if (needs.has('redis') && !environment.REDIS_URL)
      await start('Redis', async () => {
        const redisDir = join(dir, 'redis');
        const server = await startRedis({
          dir: redisDir,
          port: 0,
          password: secret(),
          appendonly: true,
          log: log('redis'),
        });
        env.REDIS_URL = server.url;
        return server.stop;
      });
    if (needs.has('s3') && !environment.S3_ENDPOINT)
      await start('S3 (radosgw)', async () => {
        const server = await startRadosgw(join(dir, 'ceph'), log('ceph'));
        Object.assign(env, {
          S3_ENDPOINT: server.endpoint,
          S3_ACCESS_KEY: server.accessKey,
          S3_SECRET_KEY: server.secretKey,
        });
        return server.stop;
      });
    return { env, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Time for shared servers to stop, which end their own processes. */
const SHARED_STOP_MS = 90_000;

/**
 * Stops the servers that spec files share: they outlive jest. Each has a file `.pid` with its identity.
 * @returns messages of servers that did not stop correctly
 */
async function stopSharedServers(folder: string): Promise<string[]> {
  const files = (suffix: string) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(suffix))
      .map((name) => readFileSync(join(folder, name), 'utf8'));
  const identities = files('.pid').map((text) => JSON.parse(text) as ProcessIdentity | null);
  const steps = [{ signal: 'SIGTERM' as const, graceMs: SHARED_STOP_MS }];
  await Promise.all(identities.map((identity) => identity && stopProcess(identity, steps)));
  return files('.error');
}
