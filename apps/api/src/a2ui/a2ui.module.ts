import { Module } from '@nestjs/common';
import { A2uiActionsService } from './a2ui-actions.service.ts';
import { A2uiStreamService } from './a2ui-stream.service.ts';
import { A2uiController } from './a2ui.controller.ts';
import { RunsModule } from '../runs/runs.module.ts';

@Module({
  imports: [RunsModule],
  controllers: [A2uiController],
  providers: [A2uiStreamService, A2uiActionsService],
})
export class A2uiModule {}
