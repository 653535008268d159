import { cliConfig } from '@pilothouse/infra-config';
import { stopProcess } from '@pilothouse/infra-embedded';
import { Command } from 'commander';
import { rmSync } from 'node:fs';
import { readJson } from './json-file.ts';
import { findHouse } from './installation-paths.ts';
import { endLeftovers, runningRecord, type RunRecord } from './state-file.ts';

/** `pilothouse down`: stops what `up` started, and waits for it. */
export const downCommand = () =>
  new Command('down')
    .description('stop the Pilothouse of this machine; data stays')
    .addHelpText('after', '\nExample:\n  pilothouse down')
    .action(async () => {
      const house = findHouse(cliConfig().dir);
      const record = readJson<RunRecord>(house.record);
      if (!record) return console.log('Pilothouse does not run here.');
      const lives = runningRecord(house.record) !== undefined;
      if (lives) {
        console.log(`Stopping Pilothouse (process ${record.supervisor.pid}); workers finish or hand back their runs.`);
        // longer than all deadlines of its parts together
        if (!(await stopProcess(record.supervisor, [{ signal: 'SIGTERM', graceMs: 90_000 }])))
          throw new Error(`Process ${record.supervisor.pid} does not end: stop it by hand.`);
      }
      const left = await endLeftovers(readJson<RunRecord>(house.record) ?? record);
      rmSync(house.record, { force: true });
      if (left.length > 0) console.log(`Stopped what a killed start had left: ${left.join(', ')}.`);
      console.log(lives || left.length > 0 ? 'Stopped. Data stays in .pilothouse/.' : 'Pilothouse does not run here.');
    });
