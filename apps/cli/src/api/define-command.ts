import { Command } from 'commander';
import { exitCodes } from '../output/exit-codes.ts';
import { json } from '../output/value-text.ts';
import type { Api } from './api-port.ts';
import { processCli, type Cli } from './cli-context.ts';
import type { ApiOptions } from './connection-flags.ts';
import { asCommandError } from './error-message.ts';
import { describeUnknownName, withNameSuggestions } from './name-suggestions.ts';
import { connectApi } from './rest-client.ts';

/** Returns the process that a command runs in. It is created when the command runs. */
export type CliSource = () => Cli;

/** A command whose help has examples. Invalid usage ends with exit code 2. */
export function newCommand(name: string, description: string, examples: readonly string[], cli: CliSource): Command {
  return new Command(name)
    .description(description)
    .showHelpAfterError('See --help for usage.')
    .exitOverride(({ exitCode }) => cli().quit(exitCode === 0 ? exitCodes.done : exitCodes.usage))
    .addHelpText('after', ['', 'Examples:', ...examples.map((line) => `  ${line}`)].join('\n'));
}

/** A command that calls the API: adds the options of the connection and of the output. */
export const newApiCommand: typeof newCommand = (...commandArgs) =>
  newCommand(...commandArgs)
    .option('--api-url <url>', 'API URL (default: PILOTHOUSE_URL, or the local installation)')
    .option('--api-key-file <file>', 'file containing the API key (default: PILOTHOUSE_API_KEY, or the local key)')
    .option('--json', 'print JSON');

/** A noun: it has verbs, and prints its help without one. */
export function newNoun(name: string, description: string, verbs: readonly Command[], cli: CliSource): Command {
  const noun = new Command(name)
    .description(description)
    .showHelpAfterError('See --help for usage.')
    .exitOverride(({ exitCode }) => cli().quit(exitCode === 0 ? exitCodes.done : exitCodes.usage));
  for (const verb of verbs) noun.addCommand(verb);
  return noun;
}

/** Runs a command. Prints an error to stderr, with --json also to stdout, and sets the exit code. */
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

/** The action of a command that calls the API. `work` receives the API, the process, the options and then the arguments. */
export function withApi<Options extends ApiOptions, Args extends unknown[]>(
  source: CliSource,
  work: (api: Api, cli: Cli, options: Options, ...args: Args) => Promise<void>,
) {
  return async (...actionArgs: unknown[]): Promise<void> => {
    const command = actionArgs.at(-1) as Command;
    const args = actionArgs.slice(0, -2) as Args;
    const options = command.optsWithGlobals<Options & ApiOptions>();
    const cli = source();
    const api = withNameSuggestions(connectApi(cli, options));
    await perform(cli, options.json === true, async () => {
      try {
        await work(api, cli, options, ...args);
      } catch (thrown) {
        throw await describeUnknownName(thrown);
      }
    });
  };
}

/** This process, created once. */
export const processSource: CliSource = (() => {
  let cli: Cli | undefined;
  return () => (cli ??= processCli());
})();
