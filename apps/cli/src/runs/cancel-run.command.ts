import { isTerminal } from '@pilothouse/contract/run/run-status';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { findRun, RUN_ARGUMENT, shortId } from '../api/find-by-id.ts';
import { json } from '../output/value-text.ts';

/** Seconds to wait for the worker to stop. */
const WAIT_SECONDS = 10;

/** `pilothouse runs cancel`. */
export const cancelCommand = (source = processSource) =>
  newApiCommand(
    'cancel',
    'Cancel runs. A running run stops before its next action.',
    ['pilothouse runs cancel last', 'pilothouse runs cancel 0197f3c2-1a2b 0197f3c2-2b3c'],
    source,
  )
    .argument('<run...>', RUN_ARGUMENT)
    .action(withApi(source, cancel));

async function cancel(api: Api, { terminal }: Cli, flags: ApiOptions, names: readonly string[]): Promise<void> {
  const runs: RunView[] = [];
  for (const name of names) {
    const { id } = await findRun(api, name);
    const run = await cancelOne(api, terminal, id);
    runs.push(run);
    if (flags.json) continue;
    if (isTerminal(run.status)) terminal.out(`Run ${shortId(id)} is ${run.status}.`);
    else terminal.out(`Cancelling run ${shortId(id)}: npx pilothouse logs -f ${shortId(id)}`);
  }
  if (flags.json) terminal.out(json(runs.length === 1 ? runs[0] : { items: runs }));
}

async function cancelOne(api: Api, terminal: Cli['terminal'], id: string): Promise<RunView> {
  const run = await api.cancel(id);
  if (isTerminal(run.status)) return run;
  terminal.status(() => 'stopping');
  try {
    return await api.run(id, { wait: WAIT_SECONDS });
  } finally {
    terminal.status(null);
  }
}
