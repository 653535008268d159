import { Module } from '@nestjs/common';
import { QueueController } from './queue.controller.ts';
import { QueueService } from './queue.service.ts';

@Module({
  controllers: [QueueController],
  providers: [QueueService],
  exports: [QueueService],
})
export class QueueModule {}
