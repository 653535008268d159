import { upConfig } from '@pilothouse/infra-config';
import { Command } from 'commander';
import { note, problem, type Finding } from './finding.ts';
import { checkMachine } from './check-machine.ts';
import { checkServices } from './check-services.ts';
import { findInstallation } from './installation-paths.ts';
import { runningRecord } from './state-file.ts';

const labels = { ok: 'ok     ', note: 'note   ', problem: 'PROBLEM' };

/** `pilothouse doctor`: checks the local installation. */
export const doctorCommand = () =>
  new Command('doctor')
    .description('Check every component and suggest fixes.')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  pilothouse doctor\n  pilothouse doctor --json\n\nExit code 1 if there is a problem.',
    )
    .action(async ({ json }: { json?: boolean }) => {
      const config = upConfig();
      const installation = findInstallation(config.installDir);
      const record = runningRecord(installation.record);
      const findings = [
        ...(await checkMachine(installation, config, record !== undefined)),
        ...(record?.ready ? await checkServices(installation, config, record) : [notRunning(record !== undefined)]),
      ];
      console.log(json ? JSON.stringify(findings, null, 2) : findings.map(line).join('\n'));
      process.exitCode = findings.some(({ state }) => state === 'problem') ? 1 : 0;
    });

const notRunning = (isStarting: boolean) =>
  isStarting
    ? note('Pilothouse', 'starting', 'Try again when it is ready.')
    : problem('Pilothouse', 'not running on this machine', 'Start it: ./scripts/up');

const line = ({ check, state, message, fix }: Finding) =>
  `${labels[state]}  ${check.padEnd(17)} ${message}${fix ? `\n${' '.repeat(27)}${fix}` : ''}`;
