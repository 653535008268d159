import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { DeadLettersService } from './dead-letters.service.ts';

@Controller()
export class DeadLettersController {
  constructor(@Inject(DeadLettersService) private readonly letters: DeadLettersService) {}

  @Route(routes.listDeadLetters)
  list({ caller, query }: RouteRequest<typeof routes.listDeadLetters>) {
    return this.letters.list(caller, query);
  }

  @Route(routes.retryDeadLetters)
  retry({ caller, body, signal }: RouteRequest<typeof routes.retryDeadLetters>) {
    return this.letters.retry(caller, body, signal);
  }
}
