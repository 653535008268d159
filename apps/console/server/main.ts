import { ConfigError, consoleConfig } from '@pilothouse/infra-config';
import { createLog } from '@pilothouse/infra-telemetry';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemTimers } from '@pilothouse/core/time/timers';
import { createConsoleServer } from './console-server.ts';
import { readFiles } from './static-files.ts';
import type { Render } from './page-renderer.ts';

/** Milliseconds for open responses on shutdown. Event streams reconnect to another instance. */
const SHUTDOWN_GRACE_MS = 3_000;

try {
  const config = consoleConfig();
  const log = createLog({ name: 'console', ...config.log });
  // Created by scripts/build.ts.
  const renderer = pathToFileURL(join(import.meta.dirname, 'server/index.js')).href;
  const { render } = (await import(renderer)) as { render: Render };
  const files = await readFiles(join(import.meta.dirname, 'client'));
  const server = createConsoleServer({ ...config, render, files, log });
  server.listen(config.port, config.host);
  await once(server, 'listening');
  log.info({ address: server.address(), api: config.apiUrl }, 'console listening');
  const shutDown = () => {
    server.close();
    server.closeIdleConnections();
    systemTimers.setTimeout(() => server.closeAllConnections(), SHUTDOWN_GRACE_MS).unref();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, shutDown);
} catch (error) {
  // There is no log yet.
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
