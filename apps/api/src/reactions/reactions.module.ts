import { Module } from '@nestjs/common';
import { REACTION_HANDLERS } from '../common/injection-tokens.ts';
import { ProposalsModule } from '../proposals/proposals.module.ts';
import { SavingsModule } from '../savings/savings.module.ts';
import { TracesModule } from '../traces/traces.module.ts';
import { RunsModule } from '../runs/runs.module.ts';
import { ReactionExecutor } from './reaction-executor.ts';
import {
  type ReactionHandlers,
  CancelChildrenReaction,
  CheckRollbackReaction,
  MeasureSavingsReaction,
  RequestScoreReaction,
  ProposeRepairReaction,
  RecordVerificationReaction,
} from './reaction-handlers.ts';

/** A reaction without a handler does not compile. */
const createHandlers = (
  propose_repair: ProposeRepairReaction,
  record_verification: RecordVerificationReaction,
  measure_savings: MeasureSavingsReaction,
  request_score: RequestScoreReaction,
  check_rollback: CheckRollbackReaction,
  cancel_children: CancelChildrenReaction,
): ReactionHandlers => ({
  propose_repair,
  record_verification,
  measure_savings,
  request_score,
  check_rollback,
  cancel_children,
});

const handlers = [
  ProposeRepairReaction,
  RecordVerificationReaction,
  MeasureSavingsReaction,
  RequestScoreReaction,
  CheckRollbackReaction,
  CancelChildrenReaction,
];

/** Executes the reactions of ended runs. */
@Module({
  imports: [ProposalsModule, RunsModule, SavingsModule, TracesModule],
  providers: [
    ...handlers,
    { provide: REACTION_HANDLERS, inject: handlers, useFactory: createHandlers },
    ReactionExecutor,
  ],
})
export class ReactionsModule {}
