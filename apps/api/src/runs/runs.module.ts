import { Module } from '@nestjs/common';
import { BulkRunsService } from './bulk-runs.service.ts';
import { ChildRuns } from './child-runs.ts';
import { AgentThinkingModule } from './events/agent-thinking.module.ts';
import { RunEventsService } from './events/run-events.service.ts';
import { IdempotencyService } from './idempotency.service.ts';
import { RunsController } from './runs.controller.ts';
import { RunsService } from './runs.service.ts';
import { RunSpecResolver } from './run-spec.ts';
import { RunSubmitter } from './submit-run.ts';
import { UploadsModule } from '../uploads/uploads.module.ts';
import { WorkflowsModule } from '../workflows/workflows.module.ts';

@Module({
  imports: [AgentThinkingModule, UploadsModule, WorkflowsModule],
  controllers: [RunsController],
  providers: [
    RunsService,
    RunSpecResolver,
    RunSubmitter,
    ChildRuns,
    BulkRunsService,
    IdempotencyService,
    RunEventsService,
  ],
  exports: [RunsService, RunSubmitter, ChildRuns],
})
export class RunsModule {}
