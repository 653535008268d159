import { cliConfig } from '@pilothouse/infra-config';
import { stopProcess } from '@pilothouse/infra-embedded';
import { Command } from 'commander';
import { rmSync } from 'node:fs';
import { readJson } from '../installation/json-file.ts';
import { displayPath, findInstallation } from '../installation/installation-paths.ts';
import { stopOrphans, runningRecord, type RunRecord } from './state-file.ts';

/** `pilothouse down`: stops the local installation and waits for its end. */
export const downCommand = () =>
  new Command('down')
    .description('Stop the local installation. Data is kept.')
    .addHelpText('after', '\nExample:\n  pilothouse down')
    .action(async () => {
      const installation = findInstallation(cliConfig().installDir);
      const record = readJson<RunRecord>(installation.record);
      if (!record) return console.log('Pilothouse is not running.');
      const isRunning = runningRecord(installation.record) !== undefined;
      if (isRunning) {
        console.log(`Stopping Pilothouse (pid ${record.supervisor.pid}). Workers finish or hand back their runs.`);
        // Longer than the deadlines of all its services together.
        if (!(await stopProcess(record.supervisor, [{ signal: 'SIGTERM', graceMs: 90_000 }])))
          throw new Error(`Process ${record.supervisor.pid} did not exit. Stop it manually.`);
      }
      const orphans = await stopOrphans(readJson<RunRecord>(installation.record) ?? record);
      rmSync(installation.record, { force: true });
      if (orphans.length > 0) console.log(`Stopped leftover processes: ${orphans.join(', ')}.`);
      console.log(
        isRunning || orphans.length > 0
          ? `Stopped. Data is kept in ${displayPath(installation, installation.state)}/.`
          : 'Pilothouse is not running.',
      );
    });
