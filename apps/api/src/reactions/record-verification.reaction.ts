import { Inject } from '@nestjs/common';
import type { Pool } from '@pilothouse/infra-db';
import { POOL } from '../common/injection-tokens.ts';
import { withProposalLock } from '../proposals/proposal-lock.ts';
import { RepairProposalsService } from '../proposals/repair-proposals.service.ts';
import type { ReactionAttempt, ReactionHandler } from './reaction-handlers.ts';

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
