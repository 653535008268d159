import type { RunReaction } from '@pilothouse/contract/run/run-reaction.schema';
import { terminalStatuses, type RunStatus } from '@pilothouse/contract/run/run-status';
import { backoffMs } from '../time/backoff.ts';

/** Facts of an ended run that decide which reactions it requires. */
export type EndedRunFact =
  | 'hasHealedStep'
  | 'isReplay'
  | 'hasModelCall'
  | 'hasGoal'
  | 'hasCompiledWorkflow'
  | 'hasRecordedTurn'
  | 'usesRegisteredModel';

/** A reaction is required if the run ended with one of the statuses, and one of the facts is true. */
interface ReactionRule {
  readonly statuses: readonly RunStatus[];
  /** Missing: the status suffices. */
  readonly facts?: readonly EndedRunFact[];
}

/** The statement that ends a run evaluates these rules, so that a reaction is stored with the end or not at all. */
export const reactionRules: Readonly<Record<RunReaction, ReactionRule>> = {
  propose_repair: { statuses: ['completed'], facts: ['hasHealedStep'] },
  // Replays verify proposals.
  record_verification: { statuses: terminalStatuses, facts: ['isReplay'] },
  measure_savings: {
    statuses: ['completed'],
    facts: ['hasHealedStep', 'hasModelCall', 'hasGoal', 'hasCompiledWorkflow'],
  },
  request_score: { statuses: terminalStatuses, facts: ['hasRecordedTurn'] },
  // A cancelled run says nothing about its model.
  check_rollback: { statuses: ['completed', 'failed'], facts: ['usesRegisteredModel'] },
  // Without a fact: a child run may be stored at the same time, and the statement does not see it.
  cancel_children: { statuses: ['cancelled'] },
};

/** Reactions that a run requires when it ends with a status. */
export const reactionsOf = (status: RunStatus, facts: ReadonlySet<EndedRunFact>): RunReaction[] =>
  (Object.keys(reactionRules) as RunReaction[]).filter((reaction) => {
    const rule = reactionRules[reaction];
    return rule.statuses.includes(status) && (rule.facts?.some((fact) => facts.has(fact)) ?? true);
  });

/** Delays between attempts of a reaction. Most failures pass within seconds. */
const RETRY_BACKOFF = { firstMs: 1_000, maxMs: 3_600_000 };

/** Attempts of a reaction. They take a week, which covers a weekend without an operator. */
export const MAX_REACTION_ATTEMPTS = 180;

/**
 * Milliseconds until the next attempt of a reaction; null: there is none.
 * @param attempts number of started attempts, 1 or more
 */
export const reactionRetryMs = (attempts: number): number | null =>
  attempts < MAX_REACTION_ATTEMPTS ? backoffMs(RETRY_BACKOFF, attempts) : null;
