import { Inject } from '@nestjs/common';
import type { Pool } from '@pilothouse/infra-db';
import { POOL } from '../common/injection-tokens.ts';
import { withProposalLock } from '../proposals/proposal-lock.ts';
import { RepairProposalsService } from '../proposals/repair-proposals.service.ts';
import type { ReactionAttempt, ReactionHandler } from './reaction-handlers.ts';

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
