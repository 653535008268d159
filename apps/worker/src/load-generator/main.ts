/**
 * Runs many workers in one process, over null surfaces, to measure an installation with a thousand workers. Each worker is the production
 * one, with its own socket, session, slots, leases and reports.
 * Usage: `node dist/load-generator/main.js COUNT`, with the settings of a worker. The worker name is the prefix of all names.
 */
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { readWorkerToken, workerConfig } from '@pilothouse/infra-config';
import { createLog } from '@pilothouse/infra-telemetry';
import manifest from '../../package.json' with { type: 'json' };
import { Workspaces } from '../files/workspaces.ts';
import { WorkerGroup } from './simulated-fleet.ts';

const config = workerConfig();
const log = createLog({ name: 'load-generator', ...config.log });
const count = Number(process.argv[2]);
if (!Number.isInteger(count) || count < 1) {
  process.stderr.write('Number of workers is missing. Pass a whole number from 1.\n');
  process.exit(2);
}

const root = config.dataDir ?? join(tmpdir(), `pilothouse-load-generator-${process.pid}`);
const folders = await Workspaces.open(root, process.pid, log);
const loadGenerator = new WorkerGroup(
  {
    ...config,
    token: readWorkerToken(config.tokenSource),
    name: config.name ?? 'load-generator',
    count,
    version: manifest.version,
  },
  folders,
  systemClock,
  log,
);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => loadGenerator.drain(signal, config.drainGraceSeconds * 1000));
}
const errors = await loadGenerator.completion;
await folders.close();
if (errors.length > 0) log.error({ errors: errors.length, first: errors[0] }, 'simulated workers failed');
process.exit(errors.length > 0 ? 1 : 0);
