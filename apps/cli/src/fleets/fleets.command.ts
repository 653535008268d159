import type { FleetView } from '@pilothouse/contract';
import type { Api } from '../api/api-port.ts';
import type { Cli } from '../api/cli-context.ts';
import { newApiCommand, oneCli, withApi } from '../api/define-command.ts';
import type { ApiOptions } from '../api/connection-flags.ts';
import { table } from '../output/text-table.ts';
import { clean, count } from '../output/sanitize-text.ts';
import { relative } from '../output/time-text.ts';
import { json } from '../output/value-text.ts';

/** `pilothouse fleets`: fleets and their workers. */
export const fleetsCommand = (source = oneCli) =>
  newApiCommand(
    'fleets',
    'show the fleets with their workers',
    ['pilothouse fleets', 'pilothouse fleets --json'],
    source,
  )
    .action(withApi(source, fleets))
    .addCommand(
      newApiCommand(
        'pause',
        'give out no queued run of a fleet any more; runs at work go on',
        ['pilothouse fleets pause browser', 'pilothouse fleets pause browser --json'],
        source,
      )
        .argument('<name>', 'the fleet')
        .action(withApi(source, pause)),
    )
    .addCommand(
      newApiCommand(
        'resume',
        'let a paused fleet give out runs again',
        ['pilothouse fleets resume browser', 'pilothouse fleets resume browser --json'],
        source,
      )
        .argument('<name>', 'the fleet')
        .action(withApi(source, resume)),
    );

async function fleets(api: Api, { terminal, now }: Cli, flags: ApiOptions): Promise<void> {
  const items = await api.fleets();
  if (flags.json) return terminal.out(json({ items }));
  if (items.length === 0) return terminal.err('No fleet serves this project.');
  for (const [index, fleet] of items.entries()) {
    if (index > 0) terminal.out();
    for (const line of fleetLines(fleet, terminal, now())) terminal.out(line);
  }
}

async function pause(api: Api, { terminal }: Cli, flags: ApiOptions, name: string): Promise<void> {
  const fleet = await api.pauseFleet(name);
  if (flags.json) return terminal.out(json(fleet));
  terminal.out(`${fleet.name} is paused: ${fleet.running} running, ${fleet.waiting} waiting`);
  terminal.err(terminal.errStyle.dim(`npx pilothouse fleets resume ${fleet.name} lets it go on`));
}

async function resume(api: Api, { terminal }: Cli, flags: ApiOptions, name: string): Promise<void> {
  const fleet = await api.resumeFleet(name);
  if (flags.json) return terminal.out(json(fleet));
  terminal.out(`${fleet.name} is at work: ${fleet.running} running, ${fleet.waiting} waiting`);
}

function fleetLines(fleet: FleetView, { style, columns }: Cli['terminal'], now: Date): string[] {
  const { name, surface, waiting, running, min, max, slots, paused, workers, conditions } = fleet;
  const facts = [
    `${surface}${paused ? style.yellow(', paused') : ''}`,
    `${running} running, ${waiting} waiting`,
    `${min} to ${count(max, 'worker')} with ${count(slots, 'slot')}`,
  ];
  const head = `${style.bold(name)}  ${facts.join(style.dim(' · '))}`;
  const wrong = conditions.map(({ reason, message, count: times, lastSeenAt }) => {
    const often = times > 1 ? ` ${times} times` : '';
    return `  ${style.red(reason)}${often}, ${relative(lastSeenAt, now)}: ${clean(message)}`;
  });
  const alive = workers.filter(({ state }) => state !== 'gone');
  if (alive.length === 0) return [head, ...wrong, style.dim('  no workers; they are started when there is work')];
  const heads = [
    { head: 'worker', gives: true },
    { head: 'state' },
    { head: 'busy', align: 'right' as const },
    { head: 'version' },
    { head: 'started' },
    { head: 'last seen' },
  ];
  const rows = alive.map((worker) => [
    clean(worker.name),
    worker.state,
    `${worker.busy}/${worker.slots}`,
    clean(worker.version),
    relative(worker.startedAt, now),
    relative(worker.lastSeenAt, now),
  ]);
  return [head, ...wrong, ...table(heads, rows, style, columns - 2).map((line) => `  ${line}`)];
}
