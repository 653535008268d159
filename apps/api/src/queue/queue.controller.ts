import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { QueueService } from './queue.service.ts';

@Controller()
export class QueueController {
  constructor(@Inject(QueueService) private readonly queues: QueueService) {}

  @Route(routes.listQueues)
  read({ caller }: RouteRequest<typeof routes.listQueues>) {
    return this.queues.read(caller);
  }
}
