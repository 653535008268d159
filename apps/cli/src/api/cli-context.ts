import { processEnvironment, type Environment } from '@pilothouse/infra-config';
import type { ExitCode } from '../output/exit-codes.ts';
import { terminalOf, type Terminal } from '../output/terminal.ts';

/** What a command has of the process it runs in; specs give their own. */
export interface Cli {
  readonly terminal: Terminal;
  readonly environment: Environment;
  /** Folder that relative paths start from. */
  readonly cwd: string;
  readonly now: () => Date;
  /** Calls back at the first Ctrl-C instead of ending; a second one ends the process. Answers how to stop listening. */
  onInterrupt(then: () => void): () => void;
  /** The exit code that the process ends with once all is written. */
  end(code: ExitCode): void;
  /** Ends the process now: help was shown, or what was asked cannot be read. */
  quit(code: ExitCode): never;
}

/** This process. */
export function processCli(): Cli {
  const environment = processEnvironment();
  // whoever reads us has had enough: `pilothouse runs | head -1`
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
