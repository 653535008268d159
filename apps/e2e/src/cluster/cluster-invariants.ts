import { terminalEvents, type RunEvent, type RunView } from '@pilothouse/contract';
import { gapsIn } from '../harness/event-sequence.ts';
import type { ClusterInstallation } from './cluster-installation.ts';

/** Facts of an accepted run that has ended. */
export interface Ended {
  readonly run: RunView;
  readonly events: readonly RunEvent[];
  /** Number of orders with its id at the site. */
  readonly orders: number;
}

/** Violations of accepted runs; empty when each ended once, completed, and had its effect once. */
export function wrongWith(ended: readonly Ended[]): string[] {
  return ended.flatMap(({ run, events, orders }) => {
    const ends = events.filter(({ type }) => terminalEvents.has(type));
    const back = events.filter(({ epoch }, at) => epoch < (events[at - 1]?.epoch ?? 0));
    return [
      ...(run.status === 'completed' ? [] : [`is ${run.status}: ${run.error?.code} ${run.error?.message}`]),
      ...(ends.length === 1 ? [] : [`ended ${ends.length} times`]),
      ...(ends.at(-1) === events.at(-1) ? [] : ['has events after its end']),
      ...gapsIn(events),
      ...back.map(({ seq, epoch }) => `event ${seq} is of attempt ${epoch}, after a newer one`),
      ...(orders === 1 ? [] : [`placed ${orders} orders`]),
    ].map((sentence) => `run ${run.id} ${sentence}`);
  });
}

/** Reads ended runs, with the facts of the site. */
export async function readEnded(installation: ClusterInstallation, ids: readonly string[]): Promise<Ended[]> {
  const ledger = await installation.ledger();
  const ended: Ended[] = [];
  for (const id of ids) {
    const orders = ledger.filter(({ detail }) => detail['reference'] === id).length;
    ended.push({ run: await installation.client.run(id), events: await installation.client.events(id), orders });
  }
  return ended;
}

/** Orders without an accepted run. */
export async function strangers(installation: ClusterInstallation, ids: readonly string[]): Promise<unknown[]> {
  return (await installation.ledger())
    .map(({ detail }) => detail['reference'])
    .filter((id) => !ids.includes(String(id)));
}

/** Attempts of a run, including those that returned it to the queue. */
export const attemptsOf = ({ events }: Ended) => events.filter(({ type }) => type === 'run.assigned').length;

/** Milliseconds from the submission of a run to its first action. */
export function untilFirstAction({ run, events }: Ended): number {
  const first = events.find(({ type }) => type === 'step.started');
  if (!first) throw new Error(`Run ${run.id} never acted`);
  return Date.parse(first.at) - Date.parse(run.createdAt);
}
