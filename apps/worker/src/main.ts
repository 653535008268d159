import { configureHeap, exitProcess, wipeFreedTexts } from './v8-heap.ts';
import {
  ConfigError,
  HIGH_SLOT_COUNT,
  processEnvironment,
  readWorkerToken,
  workerConfig,
  type WorkerConfig,
} from '@pilothouse/infra-config';
import { enableFailpoints } from '@pilothouse/infra-fault';
import { createLog } from '@pilothouse/infra-telemetry';
import manifest from '../package.json' with { type: 'json' };
import { observePage } from './observation/observe-page.ts';
import { runWorkerProcess } from './run-worker.ts';

/** Exit code for invalid settings: a restart does not help. */
const INVALID_SETTINGS_CODE = 2;

function readSettings(): { config: WorkerConfig; token: string } {
  try {
    const config = workerConfig();
    return { config, token: readWorkerToken(config.tokenSource) };
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    for (const problem of thrown.problems) process.stderr.write(`${problem}\n`);
    exitProcess(INVALID_SETTINGS_CODE);
  }
}

const [task, ...rest] = process.argv.slice(2);
if (task === 'observe')
  exitProcess(await observePage(rest, processEnvironment(), (line) => process.stdout.write(`${line}\n`)));

const { config, token } = readSettings();
configureHeap({ surface: config.surface, hasManySlots: config.slots >= HIGH_SLOT_COUNT });
const log = createLog({ name: 'worker', ...config.log });

// After an unhandled rejection the state of the worker is unknown. It exits; its leases expire and other workers recover the runs.
for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  process.on(event, (thrown: unknown) => {
    log.error(
      { event, error: String(thrown), stack: thrown instanceof Error ? thrown.stack : undefined },
      'worker failed and exits',
    );
    exitProcess(1);
  });
}

enableFailpoints(config.failpoints, log);
exitProcess(await runWorkerProcess({ ...config, token }, manifest.version, log, wipeFreedTexts));
