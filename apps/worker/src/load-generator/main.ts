/**
 * Many workers in one process, over surfaces that show nothing: for measuring what a house does with a thousand. Each is a worker as it
 * ships, with a socket, a session, slots, leases and reports of its own; only the process is shared.
 * Usage: `node dist/load-generator/main.js COUNT`, with the settings of a worker; its name is what theirs begin with.
 */
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { systemClock } from '@pilothouse/core';
import { workerConfig } from '@pilothouse/infra-config';
import { createLog } from '@pilothouse/infra-telemetry';
import manifest from '../../package.json' with { type: 'json' };
import { Workspaces } from '../files/workspaces.ts';
import { WorkerGroup } from './simulated-fleet.ts';

const config = workerConfig();
const log = createLog({ name: 'load-generator', ...config.log });
const count = Number(process.argv[2]);
if (!Number.isInteger(count) || count < 1) {
  process.stderr.write('Say how many workers: a whole number from 1 on\n');
  process.exit(2);
}

const root = config.dataDir ?? join(tmpdir(), `pilothouse-load-generator-${process.pid}`);
const folders = await Workspaces.open(root, process.pid, log);
const loadGenerator = new WorkerGroup(
  { ...config, name: config.name ?? 'load-generator', count, version: manifest.version },
  folders,
  systemClock,
  log,
);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => loadGenerator.drain(signal, config.drainGraceSeconds * 1000));
}
const failed = await loadGenerator.ended;
await folders.close();
if (failed.length > 0) log.error({ failed: failed.length, first: failed[0] }, 'workers could not go on');
process.exit(failed.length > 0 ? 1 : 0);
