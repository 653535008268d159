import { Inject } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunReaction } from '@pilothouse/contract/run/run-reaction.schema';
import { rollbackReason } from '@pilothouse/core/learning/registry/rollback-decision';
import { SCORE_VERSION } from '@pilothouse/core/learning/score-steps';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { RegistryStore, ScoreRequestStore, runAsLeader, type Pool } from '@pilothouse/infra-db';
import { BackgroundQueue } from '@pilothouse/infra-queue';
import { LOG, POOL } from '../common/injection-tokens.ts';
import { RepairProposalsService } from '../proposals/repair-proposals.service.ts';
import { ChildRuns } from '../runs/child-runs.ts';
import { RunMeasurementsService } from '../savings/run-measurements.service.ts';

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

/** Cancels the child runs of a cancelled run. */
export class CancelChildrenReaction implements ReactionHandler {
  constructor(@Inject(ChildRuns) private readonly children: Pick<ChildRuns, 'cancelChildren'>) {}

  execute({ run }: ReactionAttempt): Promise<void> {
    return this.children.cancelChildren(run);
  }
}

/** Rolls back the registered models of a run if their runs fail too often. The first change of a stage wins. */
export class CheckRollbackReaction implements ReactionHandler {
  constructor(
    @Inject(RegistryStore) private readonly registry: Pick<RegistryStore, 'listUsed' | 'change'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async execute({ run }: Pick<ReactionAttempt, 'run'>): Promise<void> {
    for (const { project, name, stage, candidate, base } of await this.registry.listUsed(run)) {
      const reason = rollbackReason(candidate, base);
      if (reason === null) continue;
      try {
        await this.registry.change(project, name, { to: 'rolled_back', reason, actor: null }, [stage]);
        this.log.warn({ project, model: name, stage, reason }, 'registered model rolled back');
      } catch (error) {
        // Its stage was changed meanwhile.
        if (!(error instanceof PilothouseError) || error.code !== 'CONFLICT') throw error;
      }
    }
  }
}

/** Measures what a completed run saved. */
export class MeasureSavingsReaction implements ReactionHandler {
  constructor(@Inject(RunMeasurementsService) private readonly measurements: Pick<RunMeasurementsService, 'measure'>) {}

  execute({ run }: ReactionAttempt): Promise<void> {
    return this.measurements.measure(run);
  }
}

/** Creates the trace of a run with recorded turns, and the job that scores it. */
export class RequestScoreReaction implements ReactionHandler {
  constructor(
    @Inject(ScoreRequestStore) private readonly requests: Pick<ScoreRequestStore, 'requestScore'>,
    @Inject(BackgroundQueue) private readonly queue: Pick<BackgroundQueue, 'wake'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async execute({ run }: ReactionAttempt): Promise<void> {
    const job = await this.requests.requestScore(run, SCORE_VERSION);
    if (job === null) return;
    this.log.info({ run, job }, 'score requested');
    await this.queue.wake([job]);
  }
}

/**
 * Changes proposals in one replica at a time: runs with the same repair share a proposal, and a verdict must not meet its replacement.
 * @throws PilothouseError UNAVAILABLE while another replica changes proposals
 */
async function withProposalLock(pool: Pool, work: () => Promise<void>): Promise<void> {
  const isDone = await runAsLeader(pool, 'proposals', async () => {
    await work();
    return true;
  });
  if (isDone === null) throw new PilothouseError('UNAVAILABLE', 'Another replica changes proposals. Try again.');
}

/** Proposes the repairs of a run with healed steps. */
export class ProposeRepairReaction implements ReactionHandler {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(RepairProposalsService) private readonly repairs: Pick<RepairProposalsService, 'propose'>,
  ) {}

  execute({ run, isLastAttempt }: ReactionAttempt): Promise<void> {
    return withProposalLock(this.pool, () => this.repairs.propose(run, isLastAttempt));
  }
}

/**
 * Records the result of a verification, and publishes its proposal. It is also due when a proposal with an ended verification is stored or
 * approved, and when its workflow is restored.
 */
export class RecordVerificationReaction implements ReactionHandler {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(RepairProposalsService) private readonly repairs: Pick<RepairProposalsService, 'recordResult'>,
  ) {}

  execute({ run }: ReactionAttempt): Promise<void> {
    return withProposalLock(this.pool, () => this.repairs.recordResult(run));
  }
}
