import { terminalEvents, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { gapsIn } from '../harness/event-sequence.ts';
import type { ClusterInstallation } from './cluster-installation.ts';

/** Facts of an accepted run that has ended. */
export interface EndedRun {
  readonly run: RunView;
  readonly events: readonly RunEvent[];
  /** Number of orders with its id at the site. */
  readonly orders: number;
}

/** Violations of accepted runs; empty when each ended once, completed, and had its effect once. */
export function violationsOf(runs: readonly EndedRun[]): string[] {
  return runs.flatMap(({ run, events, orders }) => {
    const ends = events.filter(({ type }) => terminalEvents.has(type));
    const outdated = events.filter(({ epoch }, index) => epoch < (events[index - 1]?.epoch ?? 0));
    return [
      ...(run.status === 'completed' ? [] : [`is ${run.status}: ${run.error?.code} ${run.error?.message}`]),
      ...(ends.length === 1 ? [] : [`ended ${ends.length} times`]),
      ...(ends.at(-1) === events.at(-1) ? [] : ['has events after its end']),
      ...gapsIn(events),
      ...outdated.map(({ seq, epoch }) => `event ${seq} is of attempt ${epoch}, after a newer one`),
      ...(orders === 1 ? [] : [`placed ${orders} orders`]),
    ].map((sentence) => `run ${run.id} ${sentence}`);
  });
}

/** Reads ended runs, with the facts of the site. */
export async function readEndedRuns(installation: ClusterInstallation, ids: readonly string[]): Promise<EndedRun[]> {
  const ledger = await installation.ledger();
  const endedRuns: EndedRun[] = [];
  for (const id of ids) {
    const orders = ledger.filter(({ detail }) => detail['reference'] === id).length;
    endedRuns.push({ run: await installation.client.run(id), events: await installation.client.events(id), orders });
  }
  return endedRuns;
}

/** Orders without an accepted run. */
export async function unknownOrders(installation: ClusterInstallation, ids: readonly string[]): Promise<unknown[]> {
  return (await installation.ledger())
    .map(({ detail }) => detail['reference'])
    .filter((id) => !ids.includes(String(id)));
}

/** Attempts of a run, including those that returned it to the queue. */
export const attemptsOf = ({ events }: EndedRun) => events.filter(({ type }) => type === 'run.assigned').length;

/** Milliseconds from the submission of a run to its first action. */
export function untilFirstAction({ run, events }: EndedRun): number {
  const first = events.find(({ type }) => type === 'step.started');
  if (!first) throw new Error(`Run ${run.id} never acted`);
  return Date.parse(first.at) - Date.parse(run.createdAt);
}
