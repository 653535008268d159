import { Inject } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { runAsLeader, type Pool } from '@pilothouse/infra-db';
import { POOL } from '../common/injection-tokens.ts';
import { RepairProposalsService } from '../proposals/repair-proposals.service.ts';
import type { ReactionAttempt, ReactionHandler } from './reaction-handlers.ts';

/** Proposes the repairs of a run with healed steps. One replica at a time does so: runs with the same repair share a proposal. */
export class ProposeRepairReaction implements ReactionHandler {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(RepairProposalsService) private readonly repairs: Pick<RepairProposalsService, 'propose'>,
  ) {}

  async execute({ run, isLastAttempt }: ReactionAttempt): Promise<void> {
    const isDone = await runAsLeader(this.pool, 'proposals', async () => {
      await this.repairs.propose(run, isLastAttempt);
      return true;
    });
    if (isDone === null) throw new PilothouseError('UNAVAILABLE', 'Another replica changes proposals. Try again.');
  }
}
