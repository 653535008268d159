import { runReactionSchema } from '@pilothouse/contract/run/run-reaction.schema';
import type { Metrics } from '@pilothouse/infra-telemetry';

const outcomes = ['done', 'retried', 'abandoned'] as const;
export type ReactionOutcome = (typeof outcomes)[number];

/** Counter of attempts of reactions by outcome. */
export const declareReactions = (metrics: Pick<Metrics, 'counter'>) =>
  metrics.counter({
    name: 'run_reactions_total',
    help: 'Attempts of reactions to ended runs. `retried`: failed, another attempt follows; `abandoned`: failed for the last time, the log has the run and the error',
    labels: { reaction: runReactionSchema.options, outcome: outcomes },
  });
