import { observationSchema, type Observation, type ObservationLevel } from '@pilothouse/contract';
import { observationText } from '@pilothouse/core';
import { InvalidArgumentError, type Command } from 'commander';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Cli } from '../api/cli.ts';
import { newCommand, oneCli, perform, type CliSource } from '../api/command.ts';
import { findHouse } from '../house/house.ts';
import { CommandError, exitCodes } from '../output/exit.ts';
import { clean } from '../output/text.ts';
import { json } from '../output/value.ts';
import { passedOn } from './worker.ts';

interface ObserveOptions {
  readonly interactive?: boolean;
  readonly page?: boolean;
  readonly json?: boolean;
  readonly timeout: number;
}

/** Bytes of an answer: the list of a page is some kilobytes, its text at most 50,000 characters. */
const MOST = 16 * 2 ** 20;

/** Seconds beside the time of the page: a browser begins and ends, the whole is never longer. */
const STARTING = 60;

/** `pilothouse observe`: opens a page in a browser of this machine and lists its elements; no API is asked. */
export const observeCommand = (source: CliSource = oneCli) =>
  newCommand(
    'observe',
    'open a page and list its elements, as an agent sees it',
    ['pilothouse observe https://example.org', 'pilothouse observe example.org --interactive --json'],
    source,
  )
    .argument('<url>', 'address of the page; without a scheme https is meant')
    .option('-i, --interactive', 'only what takes input')
    .option('-p, --page', 'the text of the whole page, too')
    .option('--timeout <seconds>', 'how long it may take', seconds, 30)
    .option('--json', 'print JSON, for programs')
    .action(async (url: string, _options: unknown, command: Command) => {
      const cli = source();
      const options = command.optsWithGlobals<ObserveOptions>();
      await perform(cli, options.json === true, async () => {
        const level = options.interactive ? 'interactive' : options.page ? 'page' : 'view';
        const seen = await observed(cli, absolute(url), level, options.timeout);
        cli.terminal.out(options.json ? json(seen) : observationText(seen, level).split('\n').map(clean).join('\n'));
      });
    });

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
