import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract';
import type { Call } from '../http/call.ts';
import { Route } from '../http/route.ts';
import { KeysService } from './keys.service.ts';

@Controller()
export class KeysController {
  constructor(@Inject(KeysService) private readonly keys: KeysService) {}

  @Route(routes.createApiKey)
  create({ caller, body }: Call<typeof routes.createApiKey>) {
    return this.keys.create(caller, body);
  }

  @Route(routes.listApiKeys)
  list({ caller, query }: Call<typeof routes.listApiKeys>) {
    return this.keys.list(caller, query.limit, query.cursor);
  }

  @Route(routes.revokeApiKey)
  revoke({ caller, params }: Call<typeof routes.revokeApiKey>) {
    return this.keys.revoke(caller, params.key);
  }

  @Route(routes.readMe)
  me({ caller }: Call<typeof routes.readMe>) {
    return this.keys.me(caller);
  }
}
