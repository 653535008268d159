import { Module } from '@nestjs/common';
import { WorkflowStatsService } from './workflow-stats.service.ts';
import { WorkflowsService } from './workflows.service.ts';
import { WorkflowsController } from './workflows.controller.ts';

@Module({
  controllers: [WorkflowsController],
  providers: [WorkflowsService, WorkflowStatsService],
  exports: [WorkflowsService],
})
export class WorkflowsModule {}
