import { randomUUID } from 'node:crypto';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi } from '../api/define-command.ts';
import { findRun, shortId } from '../api/find-by-id.ts';
import { exitHelp } from '../output/exit-codes.ts';
import { follow, watchOptions, type WatchFlags } from './create-run.command.ts';

/** `pilothouse retry`: the same again, as a new run. */
export const retryCommand = (source = oneCli) =>
  watchOptions(
    newApiCommand(
      'retry',
      'run a finished run again, with the same workflow and inputs, and watch it',
      ['pilothouse retry last', 'pilothouse retry 0197f3c2-1a2b --detach'],
      source,
    ),
  )
    .argument('<run>', 'id of the run, the beginning of it, or "last"')
    .addHelpText('after', `\n${exitHelp}`)
    .action(withApi(source, retry));

async function retry(api: Api, cli: Cli, flags: WatchFlags, given: string): Promise<void> {
  const { id, workflow } = await findRun(api, given);
  const submitted = await api.retry(id, flags.idempotencyKey ?? randomUUID());
  await follow(api, cli, submitted, flags, `${workflow?.name ?? 'Steps'}, again after ${shortId(id)}`);
}
