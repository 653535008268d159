import { processEnvironment, type Environment } from '@pilothouse/infra-config';
import type { ExitCode } from '../output/exit-codes.ts';
import { terminalOf, type Terminal } from '../output/terminal.ts';

/** Process context of a command. Specs pass their own. */
export interface Cli {
  readonly terminal: Terminal;
  readonly environment: Environment;
  /** Directory of relative paths. */
  readonly cwd: string;
  readonly now: () => Date;
  /** Calls back at the first Ctrl-C instead of exiting; a second one exits. Returns a function that stops listening. */
  onInterrupt(then: () => void): () => void;
  /** Sets the exit code of the process after its output is flushed. */
  end(code: ExitCode): void;
  /** Exits the process at once, after help or invalid usage. */
  quit(code: ExitCode): never;
}

/** Context of this process. */
export function processCli(): Cli {
  const environment = processEnvironment();
  // The reader closed the pipe: `pilothouse runs list | head -1`
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  return {
    terminal: terminalOf(process, environment),
    environment,
    cwd: process.cwd(),
    now: () => new Date(),
    onInterrupt(then) {
      process.once('SIGINT', then);
      return () => void process.off('SIGINT', then);
    },
    end: (code) => void (process.exitCode = code),
    quit: (code) => process.exit(code),
  };
}
