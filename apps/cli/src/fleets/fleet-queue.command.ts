import type { FleetQueue, FleetLoad } from '@pilothouse/contract';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { table } from '../output/text-table.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';

/** `pilothouse queue`: what waits and what is at work, fleet by fleet. */
export const queueCommand = (source = oneCli) =>
  newApiCommand(
    'queue',
    'show what waits and what is at work, fleet by fleet',
    ['pilothouse queue', 'pilothouse queue --json'],
    source,
  ).action(withApi(source, queue));

const heads = [
  { head: 'fleet', gives: true },
  { head: 'state' },
  { head: 'runs of' },
  ...['backlog', 'next', 'running', 'asking'].map((head) => ({ head, align: 'right' as const })),
  { head: 'oldest since' },
];

async function queue(api: Api, { terminal, now }: Cli, flags: ApiOptions): Promise<void> {
  const items = await api.queues();
  if (flags.json) return terminal.out(json({ items }));
  if (items.length === 0) return terminal.err('No fleet serves this project.');
  const line = (whose: string, { backlog, admitted, running, awaitingUser, waitingSince }: FleetLoad) => [
    whose,
    ...[backlog, admitted, running, awaitingUser].map(String),
    waitingSince === null ? '' : relative(waitingSince, now()),
  ];
  const rows = items.flatMap(({ fleet, pausedAt, own, all }: FleetQueue) => [
    [
      fleet,
      pausedAt === null ? 'at work' : terminal.style.yellow(`paused ${relative(pausedAt, now())}`),
      ...line('this project', own),
    ],
    ['', '', ...line('all', all)],
  ]);
  for (const text of table(heads, rows, terminal.style, terminal.columns)) terminal.out(text);
}
