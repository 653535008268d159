import { Command } from 'commander';
import { exitCodes } from '../output/exit-codes.ts';
import { json } from '../output/value-text.ts';
import type { Api } from './api-port.ts';
import { processCli, type Cli } from './cli-context.ts';
import type { ApiOptions } from './connection-flags.ts';
import { asCommandError } from './error-message.ts';
import { connectApi } from './rest-client.ts';

/** What a command is made with: the process it runs in, made only when it runs. */
export type CliSource = () => Cli;

/** A command with help that shows how it is used. What is asked wrongly ends with exit code 2. */
export function newCommand(name: string, description: string, examples: readonly string[], cli: CliSource): Command {
  return new Command(name)
    .description(description)
    .showHelpAfterError('(--help shows how it is used)')
    .exitOverride(({ exitCode }) => cli().quit(exitCode === 0 ? exitCodes.done : exitCodes.usage))
    .addHelpText('after', ['', 'Examples:', ...examples.map((line) => `  ${line}`)].join('\n'));
}

/** The same, with the options that say which API is asked, and how the answer is shown. */
export const newApiCommand: typeof newCommand = (...about) =>
  newCommand(...about)
    .option('--url <url>', 'address of the API (default: PILOTHOUSE_URL, else what runs in this clone)')
    .option('--api-key-file <file>', 'file with the API key (default: PILOTHOUSE_API_KEY, else the key of this clone)')
    .option('--json', 'print JSON, for programs');

/** Does the work of a command; what goes wrong is said, as JSON too where JSON was asked for, and gives its exit code. */
export async function perform(cli: Cli, asJson: boolean, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const { message, lines, exitCode, error } = asCommandError(thrown);
    const { terminal } = cli;
    terminal.status(null);
    if (asJson) terminal.out(json({ error: { ...error, message } }));
    terminal.err(`${terminal.errStyle.red('error')}  ${message}`);
    for (const line of lines) terminal.err(`  ${line}`);
    cli.end(exitCode);
  }
}

/** The action of a command that asks the API: `work` gets the API, the process, the options and then the arguments. */
export function withApi<Options extends ApiOptions, Args extends unknown[]>(
  source: CliSource,
  work: (api: Api, cli: Cli, options: Options, ...args: Args) => Promise<void>,
) {
  return async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    const args = given.slice(0, -2) as Args;
    const options = command.optsWithGlobals<Options & ApiOptions>();
    const cli = source();
    await perform(cli, options.json === true, async () => work(connectApi(cli, options), cli, options, ...args));
  };
}

/** The process, made once. */
export const oneCli: CliSource = (() => {
  let cli: Cli | undefined;
  return () => (cli ??= processCli());
})();
