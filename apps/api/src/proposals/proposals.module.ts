import { Module } from '@nestjs/common';
import { ProposalApprovalService } from './proposal-approval.service.ts';
import { ProposalsService } from './proposals.service.ts';
import { RepairProposalsService } from './repair-proposals.service.ts';
import { RunCompilerService } from './run-compiler.service.ts';
import { SavingsModule } from '../savings/savings.module.ts';
import { RunsModule } from '../runs/runs.module.ts';
import { WorkflowsModule } from '../workflows/workflows.module.ts';
import { ProposalsController } from './proposals.controller.ts';

@Module({
  imports: [RunsModule, SavingsModule, WorkflowsModule],
  controllers: [ProposalsController],
  providers: [ProposalsService, ProposalApprovalService, RunCompilerService, RepairProposalsService],
  exports: [RepairProposalsService],
})
export class ProposalsModule {}
