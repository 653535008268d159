import { processEnvironment } from '@pilothouse/infra-config';
import type { Command } from 'commander';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cli } from '../api/cli-context.ts';
import type { CliSource } from '../api/define-command.ts';
import type { Installation } from '../installation/installation-paths.ts';
import { exitCodes, type ExitCode } from '../output/exit-codes.ts';
import { terminalOf } from '../output/terminal.ts';
import type { RunRecord } from './state-file.ts';

export interface DemoOptions {
  /** `pilothouse run`. */
  runCommand: (source: CliSource) => Command;
  installation: Installation;
  record: Pick<RunRecord, 'urls'>;
  printLine: (line: string) => void;
  signal: AbortSignal;
}

/** Account of the demo site. It is no secret, but its input is declared as one. */
const password = { DEMO_PASSWORD: 'harbour-demo' };

/**
 * Submits the demo workflow like `pilothouse run`, and shows its steps. Screenshots and data are saved to
 * folder `demo` of the installation. Returns true if the run completed; an abort stops watching.
 */
export async function runDemo({
  runCommand,
  installation,
  record: { urls },
  printLine,
  signal,
}: DemoOptions): Promise<boolean> {
  const examples = join(installation.root, 'docs/examples');
  const workflow = join(examples, 'harbour-order.yaml');
  if (!existsSync(workflow) || !urls.site) {
    printLine('No demo available.');
    return false;
  }
  printLine('');
  const result: { exit: ExitCode } = { exit: exitCodes.failed };
  const environment = {
    ...processEnvironment(),
    ...password,
    PILOTHOUSE_URL: urls.api,
    PILOTHOUSE_API_KEY: readFileSync(join(installation.secrets, 'admin.key'), 'utf8').trim(),
  };
  const cli: Cli = {
    terminal: terminalOf(process, environment),
    environment,
    cwd: installation.root,
    now: () => new Date(),
    onInterrupt(then) {
      signal.addEventListener('abort', then, { once: true });
      return () => signal.removeEventListener('abort', then);
    },
    end: (code) => void (result.exit = code),
    quit: (code) => {
      throw new Error(`The demo could not be submitted (exit code ${code}).`);
    },
  };
  const options = {
    '--input': [`site_url=${urls.site}`, `purchase_order=@${join(examples, 'purchase-order.pdf')}`],
    '--input-from-env': ['password=DEMO_PASSWORD'],
    '--label': ['demo=up'],
    '--download': [join(installation.state, 'demo')],
    '--wait-timeout': ['120s'],
  };
  const args = Object.entries(options).flatMap(([option, values]) => values.flatMap((value) => [option, value]));
  await runCommand(() => cli).parseAsync([workflow, ...args], { from: 'user' });
  if (result.exit !== exitCodes.done && !signal.aborted) printLine('The demo failed. Run: npx pilothouse doctor');
  return result.exit === exitCodes.done;
}
