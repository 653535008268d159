import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { RetentionService } from './retention.service.ts';

@Controller()
export class RetentionController {
  constructor(@Inject(RetentionService) private readonly retention: RetentionService) {}

  @Route(routes.runRetention)
  run({ caller, body, signal }: RouteRequest<typeof routes.runRetention>) {
    return this.retention.run(caller, body.dryRun, signal);
  }
}
