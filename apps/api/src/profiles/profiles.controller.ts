import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { ProfilesService } from './profiles.service.ts';

@Controller()
export class ProfilesController {
  constructor(@Inject(ProfilesService) private readonly profiles: ProfilesService) {}

  @Route(routes.listProfiles)
  list({ caller, query }: RouteRequest<typeof routes.listProfiles>) {
    return this.profiles.list(caller, query.limit, query.cursor);
  }

  @Route(routes.importProfile)
  import({ caller, params, body }: RouteRequest<typeof routes.importProfile>) {
    return this.profiles.import(caller, params.profile, body);
  }

  @Route(routes.deleteProfile)
  delete({ caller, params }: RouteRequest<typeof routes.deleteProfile>) {
    return this.profiles.delete(caller, params.profile);
  }
}
