import type { FleetQueue, FleetLoad } from '@pilothouse/contract/api/fleets.routes';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { table } from '../output/text-table.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';

/** `pilothouse fleets queue`. */
export const queueCommand = (source = processSource) =>
  newApiCommand(
    'queue',
    'Show queued and running runs by fleet.',
    ['pilothouse fleets queue', 'pilothouse fleets queue --json'],
    source,
  ).action(withApi(source, queue));

const heads = [
  { head: 'fleet', canShrink: true },
  { head: 'state' },
  { head: 'scope' },
  ...['backlog', 'next', 'running', 'needs input'].map((head) => ({ head, align: 'right' as const })),
  { head: 'oldest queued' },
];

async function queue(api: Api, { terminal, now }: Cli, flags: ApiOptions): Promise<void> {
  const items = await api.queues();
  if (flags.json) return terminal.out(json({ items }));
  if (items.length === 0) return terminal.err('No fleets.');
  const line = (
    scope: string,
    { backlog, admitted, running, awaitingUser, oldestQueuedAt: waitingSince }: FleetLoad,
  ) => [
    scope,
    ...[backlog, admitted, running, awaitingUser].map(String),
    waitingSince === null ? '' : relative(waitingSince, now()),
  ];
  const rows = items.flatMap(({ fleet, pausedAt, project: projectLoad, total: totalLoad }: FleetQueue) => [
    [
      fleet,
      pausedAt === null ? 'running' : terminal.style.yellow(`paused ${relative(pausedAt, now())}`),
      ...line('this project', projectLoad),
    ],
    ['', '', ...line('all', totalLoad)],
  ]);
  for (const text of table(heads, rows, terminal.style, terminal.columns)) terminal.out(text);
}
