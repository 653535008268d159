import type { ConditionReason } from '@pilothouse/contract/fleet/fleet.schema';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { upsertConditions, type Pool } from '@pilothouse/infra-db';

/** Called for a connected worker with the problem, at its `hello` and with each report. */
export type OnWorkerCondition = (fleet: string, worker: string) => void;

/** Problems that only the gateway knows, and that last as long as the worker is connected. */
const messages = {
  EgressNotEnforced: (worker: string) =>
    `Desktop programs of worker ${worker} that ignore proxy settings reach DNS and all addresses that the NetworkPolicy allows (egress mode settings). Allow user namespaces for the worker, or set egress.internet to false.`,
  ExternalWorker: (worker: string) =>
    `No controller started worker ${worker}: it joined with the fleet token and receives runs with their secrets. If it is not yours, set externalWorkers to false and rotate the token.`,
} as const satisfies Partial<Record<ConditionReason, (worker: string) => string>>;

/** Milliseconds until the condition of a fleet is written again. */
const REFRESH_MS = 60_000;

/** Stores a problem of connected workers as a condition of their fleet. */
export function recordWorkerCondition(
  reason: keyof typeof messages,
  pool: Pool,
  log: Log,
  monotonic: () => number = () => performance.now(),
): OnWorkerCondition {
  /** Time of the next write, by fleet. A fleet in it has a stored condition, which a write then refreshes. */
  const nextWriteAt = new Map<string, number>();
  return (fleet, worker) => {
    if (monotonic() < (nextWriteAt.get(fleet) ?? -Infinity)) return;
    const times = nextWriteAt.has(fleet) ? 0 : 1;
    nextWriteAt.set(fleet, monotonic() + REFRESH_MS);
    upsertConditions(pool, fleet, [{ reason, message: messages[reason](worker), times }]).catch((error: unknown) =>
      log.warn({ fleet, error: String(error) }, 'fleet condition not stored'),
    );
  };
}
