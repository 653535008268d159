import { isTerminal } from '@pilothouse/contract';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findRun, shortId } from '../api/find-by-id.ts';
import { json } from '../output/value-text.ts';

/** Seconds to wait for the worker to stop, before saying that it was asked. */
const WAIT = 10;

/** `pilothouse cancel`. */
export const cancelCommand = (source = oneCli) =>
  newApiCommand(
    'cancel',
    'cancel a run: a queued one ends at once, a running one before its next action',
    ['pilothouse cancel last', 'pilothouse cancel 0197f3c2-1a2b'],
    source,
  )
    .argument('<run>', 'id of the run, the beginning of it, or "last"')
    .action(withApi(source, cancel));

async function cancel(api: Api, { terminal }: Cli, flags: ApiOptions, given: string): Promise<void> {
  const { id } = await findRun(api, given);
  let run = await api.cancel(id);
  if (!isTerminal(run.status)) {
    terminal.status(() => 'stopping');
    run = await api.run(id, { wait: WAIT });
    terminal.status(null);
  }
  if (flags.json) return terminal.out(json(run));
  if (isTerminal(run.status)) terminal.out(`Run ${shortId(id)} is ${run.status}.`);
  else terminal.out(`The worker was asked to stop run ${shortId(id)}: npx pilothouse logs -f ${shortId(id)}`);
}
