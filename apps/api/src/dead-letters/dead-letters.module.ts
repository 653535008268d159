import { Module } from '@nestjs/common';
import { DeadLettersController } from './dead-letters.controller.ts';
import { DeadLettersService } from './dead-letters.service.ts';
import { RunsModule } from '../runs/runs.module.ts';

@Module({
  imports: [RunsModule],
  controllers: [DeadLettersController],
  providers: [DeadLettersService],
})
export class DeadLettersModule {}
