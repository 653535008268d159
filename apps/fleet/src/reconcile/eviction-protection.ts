import type { DriverWorker } from '@pilothouse/core/ports/fleet-driver.port';
import type { FleetSnapshot } from '@pilothouse/core/ports/fleet-state.port';

/** Milliseconds of idleness after which autoscalers may remove the node of a worker. */
const IDLE_MS = 60_000;

/** Maximum number of changes in one tick. */
const MAX_CHANGES = 20;

/** Returns workers whose eviction protection must change. Workers are protected unless they are idle for a minute. */
export function evictionProtectionChanges(
  { fleet, workers, observedAt }: FleetSnapshot,
  driverWorkers: readonly DriverWorker[],
): { name: string; isProtected: boolean }[] {
  const idleNames = new Set(
    workers
      .filter(({ state, busy, idleSince }) => {
        return state === 'ready' && busy === 0 && idleSince !== null && observedAt - idleSince >= IDLE_MS;
      })
      .map(({ name }) => name),
  );
  return driverWorkers
    .filter(
      (worker) => worker.fleet === fleet && worker.isEvictionProtected !== undefined && worker.state === 'running',
    )
    .filter(({ name, isEvictionProtected: isProtected }) => isProtected === idleNames.has(name))
    .slice(0, MAX_CHANGES)
    .map(({ name }) => ({ name, isProtected: !idleNames.has(name) }));
}
