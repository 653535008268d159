import type { DriverWorker, FleetSnapshot } from '@pilothouse/core';

/** A worker idle for so long may lose its machine, in milliseconds. */
const IDLE_MS = 60_000;

/** Changes at a time: the rest comes with the next look. */
const AT_ONCE = 20;

/** Workers whose guard is to change: they are guarded but while they are idle for a minute. */
export function evictionProtectionChanges(
  { fleet, workers, observedAt }: FleetSnapshot,
  made: readonly DriverWorker[],
): { name: string; guarded: boolean }[] {
  const idle = new Set(
    workers
      .filter(({ state, busy, idleSince }) => {
        return state === 'ready' && busy === 0 && idleSince !== null && observedAt - idleSince >= IDLE_MS;
      })
      .map(({ name }) => name),
  );
  return made
    .filter((worker) => worker.fleet === fleet && worker.guarded !== undefined && worker.state === 'running')
    .filter(({ name, guarded }) => guarded === idle.has(name))
    .slice(0, AT_ONCE)
    .map(({ name }) => ({ name, guarded: !idle.has(name) }));
}
