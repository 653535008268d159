import { observationSchema, type Observation, type ObservationLevel } from '@pilothouse/contract';
import { observationText } from '@pilothouse/core';
import { InvalidArgumentError } from 'commander';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi, type CliSource } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findHouse } from '../local/installation-paths.ts';
import { CommandError, exitCodes, usage } from '../output/exit-codes.ts';
import { clean } from '../output/sanitize-text.ts';
import { blockLines, json } from '../output/value-text.ts';
import { observeByRun } from '../runs/observe-run.ts';
import { profileNamed } from '../project/profiles.command.ts';
import { passedOn } from '../fleets/worker.command.ts';

interface ObserveOptions extends ApiOptions {
  readonly interactive?: boolean;
  readonly page?: boolean;
  readonly profile?: string;
  readonly timeout: number;
}

/** Bytes of an answer: the list of a page is some kilobytes, its text at most 50,000 characters. */
const MOST = 16 * 2 ** 20;

/** Seconds beside the time of the page: a browser begins and ends, the whole is never longer. */
const STARTING = 60;

/** `pilothouse observe`: lists the elements of a page, in a browser of this machine or, with a profile, by a run. */
export const observeCommand = (source: CliSource = oneCli) =>
  newApiCommand(
    'observe',
    'open a page and list its elements, as an agent sees it',
    [
      'pilothouse observe https://example.org',
      'pilothouse observe example.org --interactive --json',
      'pilothouse observe https://harbour.example/orders --profile harbour',
    ],
    source,
  )
    .argument('<url>', 'address of the page; without a scheme https is meant')
    .option('-i, --interactive', 'only what takes input')
    .option('-p, --page', 'the text of the whole page, too')
    .option('--profile <name>', 'observe the page as this profile, signed in: by a run on the installation')
    .option('--timeout <seconds>', 'how long it may take', seconds, 30)
    .addHelpText(
      'after',
      [
        '',
        'Without --profile, the page opens in a browser on this machine and the API is not called.',
        'With --profile Ctrl-C cancels the run; a run that waits 5 minutes for a worker fails.',
      ].join('\n'),
    )
    .action(withApi(source, observe));

async function observe(api: Api, cli: Cli, options: ObserveOptions, address: string): Promise<void> {
  const { profile, timeout } = options;
  const level = options.interactive ? 'interactive' : options.page ? 'page' : 'view';
  const url = absolute(address);
  if (profile === undefined) {
    if (options.url !== undefined || options.apiKeyFile !== undefined)
      throw usage('--url and --api-key-file require --profile: without a profile, observe does not call the API.');
    const seen = await observed(cli, url, level, timeout);
    return show(options.json ? json(seen) : observationText(seen, level), options, cli);
  }
  const seen = await observeByRun(api, cli, { url, profile: profileNamed(profile), level, timeout });
  show(options.json ? json(seen) : seen.text, options, cli);
}

function show(text: string, options: ApiOptions, { terminal }: Cli): void {
  for (const line of options.json ? [text] : blockLines(text)) terminal.out(line);
}

function seconds(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0 && value <= 600) return value;
  throw new InvalidArgumentError('A number of seconds between 0 and 600.');
}

const absolute = (url: string): string =>
  /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[\w.-]+:\d/.test(url) ? url : `https://${url}`;

/** Pages are hostile: they are opened by the worker's program, in a process that knows no secret. */
async function observed(
  { environment }: Cli,
  url: string,
  level: ObservationLevel,
  timeout: number,
): Promise<Observation> {
  const bundle = findHouse().bundle('worker');
  if (!existsSync(bundle)) throw new CommandError(exitCodes.failed, `${bundle} is missing: run ./scripts/setup.`);
  const args = [bundle, 'observe', url, '--level', level, '--seconds', String(timeout)];
  const bound = { timeout: (timeout + STARTING) * 1000, killSignal: 'SIGKILL' } as const;
  const answer = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { env: passedOn(environment), maxBuffer: MOST, ...bound }, (_failed, out, err) =>
      resolve(out || err),
    );
  });
  const said = answerOf(answer);
  const error = (said as { error?: { code: string; message: string } }).error;
  if (error) throw new CommandError(exitCodes.failed, clean(error.message), [error.code]);
  return observationSchema.parse(said);
}

function answerOf(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    throw new CommandError(
      exitCodes.failed,
      `The browser did not answer: ${clean(text.slice(0, 500)) || 'it said nothing'}`,
    );
  }
}
