import { cliConfig, upConfig } from '@pilothouse/infra-config';
import type { Command } from 'commander';
import type { Cli } from '../api/cli-context.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { newApiCommand, perform, processSource, type CliSource } from '../api/define-command.ts';
import { connectApi } from '../api/rest-client.ts';
import { exitCodes } from '../output/exit-codes.ts';
import { json } from '../output/value-text.ts';
import { note, problem, type Finding } from './finding.ts';
import { checkMachine } from './check-machine.ts';
import { checkRemote } from './check-remote.ts';
import { checkServices } from './check-services.ts';
import { findInstallation } from '../installation/installation-paths.ts';
import { readJson } from '../installation/json-file.ts';
import type { SavedConnection } from '../installation/saved-connection.ts';
import { runningRecord } from './state-file.ts';

const labels = { ok: 'ok     ', note: 'note   ', problem: 'PROBLEM' };

/** `pilothouse doctor`: checks the installation of this machine, or the one at the API URL. */
export const doctorCommand = (source: CliSource = processSource) =>
  newApiCommand(
    'doctor',
    'Check every component and suggest fixes. With the API URL of another machine: check API, key and workers.',
    ['pilothouse doctor', 'pilothouse doctor --json', 'pilothouse doctor --api-url https://pilothouse.example.org'],
    source,
  )
    .addHelpText('after', '\nExit code 1 if there is a problem.')
    .action(async (_options: unknown, command: Command) => {
      const cli = source();
      const options = command.optsWithGlobals<ApiOptions>();
      await perform(cli, options.json === true, async () => {
        const findings = await check(cli, options);
        cli.terminal.out(options.json ? json(findings) : findings.map(line).join('\n'));
        if (findings.some(({ state }) => state === 'problem')) cli.end(exitCodes.failed);
      });
    });

async function check(cli: Cli, options: ApiOptions): Promise<Finding[]> {
  const settings = cliConfig({
    ...cli.environment,
    ...(options.apiUrl !== undefined && { PILOTHOUSE_URL: options.apiUrl }),
  });
  const installation = findInstallation(settings.installDir);
  if (settings.url !== undefined && settings.url !== readJson<SavedConnection>(installation.config)?.url)
    return checkRemote(() => connectApi(cli, options), settings.url);
  const config = upConfig();
  const record = runningRecord(installation.record);
  return [
    ...(await checkMachine(installation, config, record !== undefined)),
    ...(record?.ready ? await checkServices(installation, config, record) : [notRunning(record !== undefined)]),
  ];
}

const notRunning = (isStarting: boolean) =>
  isStarting
    ? note('Pilothouse', 'starting', 'Try again when it is ready.')
    : problem('Pilothouse', 'not running on this machine', 'Start it: ./scripts/up');

const line = ({ check: name, state, message, fix }: Finding) =>
  `${labels[state]}  ${name.padEnd(17)} ${message}${fix ? `\n${' '.repeat(27)}${fix}` : ''}`;
