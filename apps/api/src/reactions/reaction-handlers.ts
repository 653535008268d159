import type { RunReaction } from '@pilothouse/contract/run/run-reaction.schema';

/** Input of a handler. */
export interface ReactionAttempt {
  readonly run: string;
  /** No attempt follows, even if the error may pass. */
  readonly isLastAttempt: boolean;
}

/**
 * Executes one kind of reactions. It is repeated when the process stops before the end is stored, so a repetition must
 * have no further effect. The run may be deleted.
 */
export interface ReactionHandler {
  /** @throws an error that may pass (see `isRetryable`) to be tried again; any other ends the reaction */
  execute(attempt: ReactionAttempt): Promise<void>;
}

export type ReactionHandlers = Readonly<Record<RunReaction, ReactionHandler>>;
