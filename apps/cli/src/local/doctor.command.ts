import { upConfig } from '@pilothouse/infra-config';
import { Command } from 'commander';
import { note, problem, type Finding } from './finding.ts';
import { checkMachine } from './check-machine.ts';
import { checkParts } from './check-services.ts';
import { findHouse } from './installation-paths.ts';
import { runningRecord } from './state-file.ts';

const signs = { ok: 'ok     ', note: 'note   ', problem: 'PROBLEM' };

/** `pilothouse doctor`: what works, what does not and how to mend it. */
export const doctorCommand = () =>
  new Command('doctor')
    .description('check every part and say how to mend what is wrong')
    .option('--json', 'findings as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  pilothouse doctor\n  pilothouse doctor --json\n\nExit code 1 when there is a problem.',
    )
    .action(async ({ json }: { json?: boolean }) => {
      const config = upConfig();
      const house = findHouse(config.dir);
      const record = runningRecord(house.record);
      const findings = [
        ...(await checkMachine(house, config, record !== undefined)),
        ...(record?.ready ? await checkParts(house, config, record) : [notRunning(record !== undefined)]),
      ];
      console.log(json ? JSON.stringify(findings, null, 2) : findings.map(line).join('\n'));
      process.exitCode = findings.some(({ state }) => state === 'problem') ? 1 : 0;
    });

const notRunning = (starting: boolean) =>
  starting
    ? note('Pilothouse', 'is being started', 'Ask again when it is ready.')
    : problem('Pilothouse', 'does not run on this machine', 'Start it: ./scripts/up');

const line = ({ check, state, says, mend }: Finding) =>
  `${signs[state]}  ${check.padEnd(17)} ${says}${mend ? `\n${' '.repeat(27)}${mend}` : ''}`;
