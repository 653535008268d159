import type { JoinRefusal } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { FLEET_LABEL } from './queue.metrics.ts';

/** Reasons why a worker is refused. */
export type Refusal = JoinRefusal | 'external_not_allowed';

/** Results of a `hello`. `external`: the worker joined with a fleet token. */
export const joinResults = [
  'accepted',
  'external',
  'used',
  'expired',
  'ended',
  'other_worker',
  'external_not_allowed',
] as const satisfies readonly (Refusal | 'accepted' | 'external')[];

/** Declares the counter of workers that join. */
export const declareJoins = (metrics: Pick<Metrics, 'counter'>) =>
  metrics.counter({
    name: 'gateway_joins_total',
    help: 'Workers that joined, or that were refused, by result. `external`: joined with a fleet token, so no controller started it',
    labels: { fleet: FLEET_LABEL, result: joinResults },
  });
