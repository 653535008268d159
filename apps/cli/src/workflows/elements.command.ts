import { observationSchema, type Observation } from '@pilothouse/contract/observation/observation.schema';
import type { ObservationLevel } from '@pilothouse/contract/actions/extraction.schema';
import { observationText } from '@pilothouse/core/observation/observation-text';
import { InvalidArgumentError } from 'commander';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, newNoun, processSource, withApi, type CliSource } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findInstallation } from '../installation/installation-paths.ts';
import { CommandError, exitCodes, usage } from '../output/exit-codes.ts';
import { clean } from '../output/sanitize-text.ts';
import { blockLines, json } from '../output/value-text.ts';
import { observeByRun } from '../runs/observe-run.ts';
import { profileName } from '../project/profiles.command.ts';
import { workerVariables } from '../fleets/worker.command.ts';

interface ObserveOptions extends ApiOptions {
  readonly interactive?: boolean;
  readonly fullPage?: boolean;
  readonly profile?: string;
  readonly timeout: number;
}

/** Maximum bytes of the output: an element list has some kilobytes, the text of a page at most 50,000 characters. */
const MAX_OUTPUT_BYTES = 16 * 2 ** 20;

/** Seconds to start and stop the browser, in addition to the timeout of the page. */
const BROWSER_SECONDS = 60;

/** `pilothouse elements`: lists the elements of a page, in a local browser or, with a profile, by a run. */
export const elementsCommand = (source: CliSource = processSource) =>
  newNoun('elements', 'List the elements of a page.', [listCommand(source)], source);

const listCommand = (source: CliSource) =>
  newApiCommand(
    'list',
    'Open a page and list its elements as an agent sees them.',
    [
      'pilothouse elements list https://example.org',
      'pilothouse elements list example.org --interactive --json',
      'pilothouse elements list https://harbour.example/orders --profile harbour',
    ],
    source,
  )
    .argument('<url>', 'page URL (default scheme: https)')
    .option('-i, --interactive', 'interactive elements only')
    .option('--full-page', 'include the full page text')
    .option('--profile <name>', 'open the page with this browser profile, in a run of the installation')
    .option('--timeout <seconds>', 'timeout in seconds', parseSeconds, 30)
    .addHelpText(
      'after',
      [
        '',
        'Without --profile, the page opens in a browser on this machine and the API is not called.',
        'With --profile, Ctrl-C cancels the run. It fails if no worker takes it within 5 minutes.',
      ].join('\n'),
    )
    .action(withApi(source, list));

async function list(api: Api, cli: Cli, options: ObserveOptions, address: string): Promise<void> {
  const { profile, timeout } = options;
  const level = options.interactive ? 'interactive' : options.fullPage ? 'page' : 'view';
  const url = withScheme(address);
  if (profile === undefined) {
    if (options.apiUrl !== undefined || options.apiKeyFile !== undefined)
      throw usage('--api-url and --api-key-file require --profile: without a profile, the API is not called.');
    const observation = await observeLocally(cli, url, level, timeout);
    return show(options.json ? json(observation) : observationText(observation, level), options, cli);
  }
  const observation = await observeByRun(api, cli, { url, profile: profileName(profile), level, timeout });
  show(options.json ? json(observation) : observation.text, options, cli);
}

function show(text: string, options: ApiOptions, { terminal }: Cli): void {
  for (const line of options.json ? [text] : blockLines(text)) terminal.out(line);
}

function parseSeconds(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0 && value <= 600) return value;
  throw new InvalidArgumentError('Enter 0 to 600 seconds.');
}

const withScheme = (url: string): string =>
  /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[\w.-]+:\d/.test(url) ? url : `https://${url}`;

/** Pages are untrusted: the worker program opens them, in a process without secrets. */
async function observeLocally(
  { environment }: Cli,
  url: string,
  level: ObservationLevel,
  timeout: number,
): Promise<Observation> {
  const bundle = findInstallation().bundle('worker');
  if (!existsSync(bundle)) throw new CommandError(exitCodes.failed, `${bundle} is missing: run ./scripts/setup.`);
  const args = [bundle, 'observe', url, '--level', level, '--seconds', String(timeout)];
  const limits = { timeout: (timeout + BROWSER_SECONDS) * 1000, killSignal: 'SIGKILL' } as const;
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      args,
      { env: workerVariables(environment), maxBuffer: MAX_OUTPUT_BYTES, ...limits },
      (_failed, out, err) => resolve(out || err),
    );
  });
  const result = parseOutput(output);
  const error = (result as { error?: { code: string; message: string } }).error;
  if (error) throw new CommandError(exitCodes.failed, clean(error.message), [error.code]);
  return observationSchema.parse(result);
}

function parseOutput(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    throw new CommandError(exitCodes.failed, `Browser failed: ${clean(text.slice(0, 500)) || 'no output'}`);
  }
}
