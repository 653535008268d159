import { Module, Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { QueueService } from './queue.service.ts';

@Controller()
class QueueController {
  constructor(@Inject(QueueService) private readonly queues: QueueService) {}

  @Route(routes.listQueues)
  read({ caller }: RouteRequest<typeof routes.listQueues>) {
    return this.queues.read(caller);
  }
}

@Module({
  controllers: [QueueController],
  providers: [QueueService],
  exports: [QueueService],
})
export class QueueModule {}
