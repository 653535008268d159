import type { FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, newNoun, processSource, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { table } from '../output/text-table.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';
import { queueCommand } from './fleet-queue.command.ts';

/** `pilothouse fleets`. */
export const fleetsCommand = (source = processSource) =>
  newNoun(
    'fleets',
    'List, pause and resume fleets; show their queues.',
    [
      newApiCommand(
        'list',
        'List fleets and workers.',
        ['pilothouse fleets list', 'pilothouse fleets list --json'],
        source,
      ).action(withApi(source, list)),
      queueCommand(source),
      newApiCommand(
        'pause',
        'Pause a fleet: running runs continue, queued runs wait.',
        ['pilothouse fleets pause browser', 'pilothouse fleets pause browser --json'],
        source,
      )
        .argument('<fleet>', 'fleet name')
        .action(withApi(source, pause)),
      newApiCommand(
        'resume',
        'Resume a paused fleet.',
        ['pilothouse fleets resume browser', 'pilothouse fleets resume browser --json'],
        source,
      )
        .argument('<fleet>', 'fleet name')
        .action(withApi(source, resume)),
    ],
    source,
  );

async function list(api: Api, { terminal, now }: Cli, flags: ApiOptions): Promise<void> {
  const items = await api.fleets();
  if (flags.json) return terminal.out(json({ items }));
  if (items.length === 0) return terminal.err('No fleets.');
  for (const [index, fleet] of items.entries()) {
    if (index > 0) terminal.out();
    for (const line of fleetLines(fleet, terminal, now())) terminal.out(line);
  }
}

async function pause(api: Api, { terminal }: Cli, flags: ApiOptions, name: string): Promise<void> {
  const fleet = await api.pauseFleet(name);
  if (flags.json) return terminal.out(json(fleet));
  terminal.out(`${fleet.name} paused: ${fleet.running} running, ${fleet.waiting} queued`);
  terminal.err(terminal.errStyle.dim(`Resume it: npx pilothouse fleets resume ${fleet.name}`));
}

async function resume(api: Api, { terminal }: Cli, flags: ApiOptions, name: string): Promise<void> {
  const fleet = await api.resumeFleet(name);
  if (flags.json) return terminal.out(json(fleet));
  terminal.out(`${fleet.name} resumed: ${fleet.running} running, ${fleet.waiting} queued`);
}

function fleetLines(fleet: FleetView, { style, columns }: Cli['terminal'], now: Date): string[] {
  const {
    name,
    surface,
    waiting,
    running,
    minWorkers: min,
    maxWorkers: max,
    slots,
    paused,
    workers,
    conditions,
  } = fleet;
  const facts = [
    `${surface}${paused ? style.yellow(', paused') : ''}`,
    `${running} running, ${waiting} queued`,
    `min ${min}, max ${count(max, 'worker')} × ${count(slots, 'slot')}`,
  ];
  const head = `${style.bold(name)}  ${facts.join(style.dim(' · '))}`;
  const problems = conditions.map(({ reason, message, count: times, lastSeenAt }) => {
    const repeats = times > 1 ? ` ${times} times` : '';
    return `  ${style.red(reason)}${repeats}, ${relative(lastSeenAt, now)}: ${clean(message)}`;
  });
  const connected = workers.filter(({ state }) => state !== 'disconnected');
  if (connected.length === 0) return [head, ...problems, style.dim('  no workers (scaled to zero)')];
  const heads = [
    { head: 'worker', canShrink: true },
    { head: 'state' },
    { head: 'busy', align: 'right' as const },
    { head: 'version' },
    { head: 'started' },
    { head: 'last heartbeat' },
  ];
  const rows = connected.map((worker) => [
    clean(worker.name),
    worker.state,
    `${worker.busy}/${worker.slots}`,
    clean(worker.version),
    relative(worker.startedAt, now),
    relative(worker.lastSeenAt, now),
  ]);
  return [head, ...problems, ...table(heads, rows, style, columns - 2).map((line) => `  ${line}`)];
}
