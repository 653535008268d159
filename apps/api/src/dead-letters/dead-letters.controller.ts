import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { Call } from '../http/call.ts';
import { Route } from '../http/route.ts';
import { DeadLettersService } from './dead-letters.service.ts';

@Controller()
export class DeadLettersController {
  constructor(@Inject(DeadLettersService) private readonly letters: DeadLettersService) {}

  @Route(routes.listDeadLetters)
  list({ caller, query }: Call<typeof routes.listDeadLetters>) {
    return this.letters.list(caller, query);
  }

  @Route(routes.retryDeadLetters)
  retry({ caller, body, signal }: Call<typeof routes.retryDeadLetters>) {
    return this.letters.retry(caller, body, signal);
  }
}
