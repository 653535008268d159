import { randomUUID } from 'node:crypto';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, processSource, withApi } from '../api/define-command.ts';
import { findRun, RUN_ARGUMENT, shortId } from '../api/find-by-id.ts';
import { exitCodes, exitHelp, usage, type ExitCode } from '../output/exit-codes.ts';
import { detachOption, follow, watchOptions, type WatchFlags } from './create-run.command.ts';
import { runTitle } from '../output/run-title.ts';

/** `pilothouse runs retry`. */
export const retryCommand = (source = processSource) =>
  detachOption(
    watchOptions(
      newApiCommand(
        'retry',
        'Retry finished runs with the same workflow and inputs, and follow them.',
        ['pilothouse runs retry last', 'pilothouse runs retry 0197f3c2-1a2b 0197f3c2-2b3c --detach'],
        source,
      ),
    ),
  )
    .argument('<run...>', RUN_ARGUMENT)
    .addHelpText('after', `\n${exitHelp}`)
    .action(withApi(source, retry));

/** Exits with the code of the first run that did not complete. */
async function retry(api: Api, cli: Cli, flags: WatchFlags, names: readonly string[]): Promise<void> {
  if (flags.idempotencyKey !== undefined && names.length > 1) throw usage('--idempotency-key requires a single run.');
  let exitCode: ExitCode = exitCodes.done;
  for (const name of names) {
    const run = await findRun(api, name);
    const submitted = await api.retry(run.id, flags.idempotencyKey ?? randomUUID());
    const title = `${runTitle(run, 60)}, retry of ${shortId(run.id)}`;
    const code = await follow(api, cli, submitted, flags, title);
    if (exitCode === exitCodes.done) exitCode = code;
    if (code === exitCodes.interrupted) break;
  }
  cli.end(exitCode);
}
