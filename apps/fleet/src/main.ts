import { ConfigError, fleetControllerConfig } from '@pilothouse/infra-config';
import { createLog } from '@pilothouse/infra-telemetry';
import { runFleetController } from './run-fleet-controller.ts';

try {
  const { databaseUrl, log, ...settings } = fleetControllerConfig();
  await runFleetController(settings, databaseUrl, createLog({ name: 'fleet', ...log }));
} catch (error) {
  // The log does not exist yet or is closed, so the message goes to stderr.
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
