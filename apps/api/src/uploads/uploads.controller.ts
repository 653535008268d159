import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { UploadsService } from './uploads.service.ts';

@Controller()
export class UploadsController {
  constructor(@Inject(UploadsService) private readonly uploads: UploadsService) {}

  @Route(routes.createUpload)
  create({ caller, body }: RouteRequest<typeof routes.createUpload>) {
    return this.uploads.create(caller, body);
  }
}
