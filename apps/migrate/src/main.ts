import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, migrateConfig } from '@pilothouse/infra-config';
import { createLog } from '@pilothouse/infra-telemetry';
import { migrateWhenReady } from './migrate-when-ready.ts';

/** Migration folders relative to the bundle in `dist/migrate`, and relative to this source. */
const folders = ['../../prisma/migrations', '../../../prisma/migrations'].map((path) =>
  join(import.meta.dirname, path),
);

try {
  const { databaseUrl, waitMs, log: logging } = migrateConfig();
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => stop.abort(new Error(`Ended by ${signal} before the database was migrated.`)));
  }
  await migrateWhenReady({
    databaseUrl,
    migrationsDir: folders.find((folder) => existsSync(folder)) ?? '',
    waitMs,
    log: createLog({ name: 'migrate', ...logging }),
    signal: stop.signal,
  });
} catch (error) {
  // The message is for people, so it has no stack.
  const message =
    error instanceof ConfigError ? error.problems.join('\n') : error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
