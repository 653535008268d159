import { Controller, Inject } from '@nestjs/common';
import { routes } from '@pilothouse/contract/api/route-table';
import type { RouteRequest } from '../http/route-request.ts';
import { Route } from '../http/route.decorator.ts';
import { ObjectsService } from './objects.service.ts';

@Controller()
export class ObjectsController {
  constructor(@Inject(ObjectsService) private readonly objects: ObjectsService) {}

  @Route(routes.readObject)
  read({ request }: RouteRequest<typeof routes.readObject>) {
    return this.objects.serve(request);
  }

  @Route(routes.headObject)
  head({ request }: RouteRequest<typeof routes.headObject>) {
    return this.objects.serve(request);
  }

  @Route(routes.writeObject)
  write({ request, signal }: RouteRequest<typeof routes.writeObject>) {
    return this.objects.receive(request, signal);
  }
}
