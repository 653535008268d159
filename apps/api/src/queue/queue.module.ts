import { Module } from '@nestjs/common';
import { QueueService } from './queue.service.ts';
import { QueueController } from './queue.controller.ts';

@Module({
  controllers: [QueueController],
  providers: [QueueService],
  exports: [QueueService],
})
export class QueueModule {}
