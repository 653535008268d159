import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import type { Cli } from '../api/cli-context.ts';
import type { ExitCode } from '../output/exit-codes.ts';
import { terminalOf } from '../output/terminal.ts';
import { KEY } from './api.fixture.ts';

/** Output and exit code of a command. */
export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

class Quit extends Error {}

/** A pipe that collects its input. */
const pipe = (onWrite?: (text: string) => void, isTTY = false) => {
  const chunks: string[] = [];
  const write = (text: string) => {
    chunks.push(text);
    onWrite?.(text);
    return true;
  };
  return { write, isTTY, columns: 80, chunks };
};

/** Keyboard of a terminal on which the answer of a prompt is typed, or a pipe with a text; both undefined: no terminal. */
const keyboard = (answer: string | undefined, input: string | undefined) => {
  if (input !== undefined) return Object.assign(new PassThrough().end(input), { isTTY: false });
  if (answer === undefined) return { isTTY: false };
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  stdin.write(`${answer}\r`);
  return stdin;
};

/** Process context of a command in a spec. */
export interface ProcessOptions {
  readonly url: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly now?: Date;
  /** Called with a function that presses Ctrl-C, once the command listens for it. */
  readonly onListen?: (press: () => void) => void;
  /** Called with the output on stdout. */
  readonly onOut?: (text: string) => void;
  /** Answer to the prompt of a terminal. Default: the command has no terminal. */
  readonly answer?: string;
  /** Text that is piped to stdin, without a terminal. */
  readonly input?: string;
}

/** Runs a command over HTTP, with captured output. */
export async function runCli(
  createCommand: (source: () => Cli) => Command,
  args: readonly string[],
  options: ProcessOptions,
): Promise<CommandResult> {
  const [stdout, stderr] = [pipe(options.onOut), pipe(undefined, options.answer !== undefined)];
  let code: ExitCode = 0;
  const environment = { PILOTHOUSE_URL: options.url, PILOTHOUSE_API_KEY: KEY, ...options.environment };
  const streams = { stdin: keyboard(options.answer, options.input), stdout, stderr };
  const cli: Cli = {
    terminal: terminalOf(streams as never, environment),
    environment,
    cwd: options.cwd ?? process.cwd(),
    now: () => options.now ?? new Date(),
    onInterrupt(then) {
      options.onListen?.(then);
      return () => undefined;
    },
    end: (exitCode) => void (code = exitCode),
    quit(exitCode) {
      code = exitCode;
      throw new Quit();
    },
  };
  const output = {
    writeOut: (text: string) => void stdout.write(text),
    writeErr: (text: string) => void stderr.write(text),
  };
  const command = createCommand(() => cli);
  const redirectOutput = (command: Command): void => {
    command.configureOutput(output);
    command.commands.forEach(redirectOutput);
  };
  redirectOutput(command);
  try {
    await command.parseAsync(args, { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof Quit)) throw thrown;
  }
  return { code, out: stdout.chunks.join(''), err: stderr.chunks.join('') };
}
