import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemTimers } from '@pilothouse/core/time/timers';
import { apiConfig, ConfigError } from '@pilothouse/infra-config';
import { lastMigration, migrateDeploy } from '@pilothouse/infra-db';
import { enableFailpoints } from '@pilothouse/infra-fault';
import { createLog, createMetrics } from '@pilothouse/infra-telemetry';
import { createApp } from './create-app.ts';
import { seedInstallation } from './seed.ts';
import { createAppContext } from './infrastructure/app-context.ts';
import { serveMetrics } from './metrics/metrics-server.ts';

/** Milliseconds after which the process exits if the shutdown hangs. */
const STOP_MS = 20_000;

/** Folder of the migrations: next to the bundle in an image, otherwise in the repository. */
function migrationsFolder(): string {
  const candidates = [join(import.meta.dirname, 'migrations'), join(import.meta.dirname, '../../prisma/migrations')];
  return candidates.find(existsSync) ?? join(import.meta.dirname, '../../../prisma/migrations');
}

async function main(): Promise<void> {
  const config = apiConfig();
  const log = createLog({ name: 'api', ...config.log });
  enableFailpoints(config.failpoints, log);
  const stop = new AbortController();
  if (config.migrateOnStart) {
    const { databaseUrl } = config;
    await migrateDeploy({ databaseUrl, migrationsDir: migrationsFolder(), log, signal: stop.signal });
  }
  const metrics = createMetrics({ prefix: 'pilothouse' });
  const context = await createAppContext(config, log, metrics, await lastMigration(migrationsFolder()));
  const { bootstrapAdminKey: adminKey, fleets, retention } = config;
  await seedInstallation({ stores: context.stores, vault: context.vault, adminKey, fleets, retention, log });
  const app = await createApp(context);
  if (config.metricsPort !== undefined) await serveMetrics(context.metrics, config.metricsPort, config.host);
  await app.nest.listen(config.port, config.host);
  log.info({ url: await app.nest.getUrl(), parts: [...config.roles] }, 'API ready');

  let isStopping = false;
  const end = (signal: NodeJS.Signals) => {
    // A second signal is ignored: the shutdown is in progress.
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'Stopping');
    systemTimers.setTimeout(() => process.exit(1), STOP_MS).unref();
    void app.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ error: String(error) }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', end).on('SIGINT', end);
}

try {
  await main();
} catch (error) {
  const sentence =
    error instanceof ConfigError ? error.problems.join('\n') : error instanceof Error ? error.message : String(error);
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
